/**
 * A clock in the video: a row of black and white cells across the top of each frame, wide enough to survive
 * any encoder, that encodes the time when the frame was drawn. A receiver can read the frame's age from it.
 */

const CLOCK_BITS = 20;
/** The clock wraps after some 17 minutes; no frame is that old. */
const CLOCK_MS = 2 ** CLOCK_BITS;
const CHECK_BITS = 4;
const CELLS = CLOCK_BITS + CHECK_BITS;
/** The part of the picture's height that the row takes. */
const ROW = 1 / 6;
/** Pixels a cell is shrunk to before its middle is looked at. */
const CELL_PIXELS = 8;
const WHITE = 128;

/** A fixed pattern in the last cells, to reject frames without a clock and torn ones. */
function checkOf(time: number): number {
  let sum = 5;
  for (let rest = time; rest > 0; rest = Math.floor(rest / 16)) sum += rest % 16;
  return sum % 2 ** CHECK_BITS;
}

/** Draws the present time on a picture. */
export function drawClock(drawing: CanvasRenderingContext2D): void {
  const { width, height } = drawing.canvas;
  const time = Date.now() % CLOCK_MS;
  const cells = time * 2 ** CHECK_BITS + checkOf(time);
  for (let cell = 0; cell < CELLS; cell++) {
    const isSet = Math.floor(cells / 2 ** (CELLS - 1 - cell)) % 2 === 1;
    drawing.fillStyle = isSet ? '#fff' : '#000';
    drawing.fillRect((cell * width) / CELLS, 0, Math.ceil(width / CELLS), height * ROW);
  }
}

/** Reads the clock of the picture a video shows. */
export class ClockReader {
  readonly #drawing: CanvasRenderingContext2D;

  constructor() {
    const canvas = document.createElement('canvas');
    canvas.width = CELLS * CELL_PIXELS;
    canvas.height = CELL_PIXELS;
    const drawing = canvas.getContext('2d', { willReadFrequently: true });
    if (!drawing) throw new Error('no canvas');
    this.#drawing = drawing;
  }

  /** Milliseconds since the picture was drawn; null when no clock can be read. */
  ageMs(video: HTMLVideoElement): number | null {
    const now = Date.now();
    const { width, height } = this.#drawing.canvas;
    this.#drawing.drawImage(
      video,
      0,
      0,
      video.videoWidth,
      video.videoHeight * ROW,
      0,
      0,
      width,
      height,
    );
    const { data } = this.#drawing.getImageData(0, CELL_PIXELS / 2, width, 1);
    let cells = 0;
    for (let cell = 0; cell < CELLS; cell++) {
      const green = data[(cell * CELL_PIXELS + CELL_PIXELS / 2) * 4 + 1] ?? 0;
      cells = cells * 2 + (green > WHITE ? 1 : 0);
    }
    const time = Math.floor(cells / 2 ** CHECK_BITS);
    if (cells % 2 ** CHECK_BITS !== checkOf(time)) return null;
    return (now - time + CLOCK_MS) % CLOCK_MS;
  }
}
