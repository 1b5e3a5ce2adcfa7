import { systemClock } from '#platform/data/clock.ts';
import { join } from 'node:path';
import { OutputRefused, type HlsWindow } from '../outputs.ts';
import { eventually, type OutputStage } from './analyzer/stage.ts';
import { TwoLights } from './two-lights.ts';

/** Frames counted, by the kind of output they came in. */
export interface PicturesCount {
  segments: number;
  thumbnails: number;
  previews: number;
  recordings: number;
}

export interface MovedOutputsCount {
  readonly moves: number;
  /** Public frames in outputs of the public name. */
  readonly public: Readonly<PicturesCount>;
  /** Private frames, as members of the private show saw them. */
  readonly private: number;
  /** Private frames in any output of the public name. */
  readonly leaked: Readonly<PicturesCount>;
  /** Answers with media of the public name more than {@link GRACE_MS} after the move, and recordings. */
  readonly late: number;
}

const OPEN = 'open';
/** This long after the start of a private show nobody outside may get anything. */
const GRACE_MS = 250;
/** How long outsiders go on asking while the private video is shown. */
const WATCHED_MS = 1_500;
const ASK_EVERY_MS = 50;
/** After this, everything sent earlier has reached the relay. */
const UNDER_WAY_MS = 500;
/** Luma of the bright loop is 235, of the dark one 16; in a thumbnail 255 and 0. */
const DARK_BELOW = 100;
const LOOP_SECONDS = 4;
const UNLIMITED = { maxBytes: 1e9, maxMs: 1e9 };

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => void systemClock.after('moved outputs', ms, resolve));

/** Null when the outputs refuse. */
const answered = <T>(asked: Promise<T | null>): Promise<T | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof OutputRefused) return null;
    throw error;
  });

/**
 * A publisher goes into private and back, again and again, while HLS, thumbnails, previews and a recording
 * are made from its public name, some of them just as it moves, and others are busy with another stream. In
 * public it sends bright frames, and dark ones only under the private name.
 *
 * Checked by hand, in 4 moves, that this finds leaks: with a relay that went on sending to readers of the old
 * name, 162 dark frames were in recordings; when clips were not forgotten, 58 answers came late.
 */
export class MovedOutputs {
  readonly #stage: OutputStage;
  readonly #lights: TwoLights;
  readonly #public: PicturesCount = { segments: 0, thumbnails: 0, previews: 0, recordings: 0 };
  readonly #leaked: PicturesCount = { segments: 0, thumbnails: 0, previews: 0, recordings: 0 };
  #private = 0;
  #late = 0;

  private constructor(stage: OutputStage, lights: TwoLights) {
    this.#stage = stage;
    this.#lights = lights;
  }

  /** @param cycles each has two moves */
  static async run(
    stage: OutputStage,
    cycles: number,
    onProgress: (done: number) => void = () => undefined,
  ): Promise<MovedOutputsCount> {
    const { analyzer, feed, outputs } = stage;
    const lights = new TwoLights({
      bright: await analyzer.plain(LOOP_SECONDS, 235),
      dark: await analyzer.plain(LOOP_SECONDS, 16),
    });
    await feed('load');
    await feed(OPEN, { loop: lights.media, framesPerSecond: 30 });
    const moved = new MovedOutputs(stage, lights);
    for (let cycle = 0; cycle < cycles; cycle++) {
      await outputs.openHls('load');
      await moved.#cycle(cycle);
      onProgress(cycle + 1);
    }
    await outputs.forget('load');
    return {
      moves: 2 * cycles,
      public: moved.#public,
      private: moved.#private,
      leaked: moved.#leaked,
      late: moved.#late,
    };
  }

  async #cycle(cycle: number): Promise<void> {
    const { engine, outputs, folder, report, analyzer } = this.#stage;
    const closed = `closed-${cycle}`;
    const file = join(folder, `${closed}.mp4`);
    const recording = await outputs.record(OPEN, { file, ...UNLIMITED });
    const window = await this.#inPublic(cycle);
    const preview = answered(outputs.picture(OPEN, 'preview'));
    await engine.move(OPEN, closed);
    const movedAtMs = performance.now();
    this.#lights.show('dark');
    // As the site does: nothing of the old name is served or made any more.
    outputs.watch([]);
    const forgotten = outputs.forget(OPEN);
    const member = await this.#inPrivate(closed, window, movedAtMs);
    await forgotten;
    await this.#count('previews', await preview);
    // It must have ended by itself: a recording that ends only now would have recorded the private show.
    await recording.stop();
    const { end } = await report('recording_ended', (item) => item.end.recording === recording.id);
    if (end.reason !== 'source') this.#late += 1;
    this.#add('recordings', (await analyzer.inspectFile(file)).pictures);
    await this.#comeBack(closed, member);
  }

  /** Requests every output of the public name; every second time the preview is only begun. */
  async #inPublic(cycle: number): Promise<HlsWindow> {
    const { outputs, window, bytes } = this.#stage;
    outputs.watch([OPEN]);
    const still = await eventually('a thumbnail', () => outputs.picture(OPEN, 'thumbnail'));
    await this.#count('thumbnails', still);
    if (cycle % 2 === 0) await answered(outputs.picture(OPEN, 'preview'));
    const open = await window(OPEN, 'two segments', ({ segments }) => segments.length >= 2);
    await this.#count('segments', await bytes(OPEN, open.segments));
    // One more thumbnail is begun, so that it is being made while the stream moves.
    outputs.watch([]);
    outputs.watch([OPEN]);
    return open;
  }

  /** Requests every output of the old name, while a member watches the new one. */
  async #inPrivate(closed: string, { segments }: HlsWindow, movedAtMs: number): Promise<HlsWindow> {
    const { outputs, window } = this.#stage;
    const member = window(closed, 'two segments', (seen) => seen.segments.length >= 2);
    await eventually('the private picture', () => (this.#lights.shown === 'dark' ? true : null));
    const untilMs = performance.now() + WATCHED_MS;
    while (performance.now() < untilMs) {
      const isLate = performance.now() - movedAtMs > GRACE_MS;
      const found = await Promise.all([
        ...segments.map(({ name }) => answered(outputs.readHls(OPEN, name))),
        answered(outputs.picture(OPEN, 'thumbnail')),
        answered(outputs.picture(OPEN, 'preview')),
        answered(outputs.openHls(OPEN)),
        answered(outputs.rendition(OPEN, 180)),
        // Nobody may get a thumbnail of the private name either.
        answered(outputs.picture(closed, 'thumbnail')),
      ]);
      if (isLate) this.#late += found.filter((item) => item !== null).length;
      await wait(ASK_EVERY_MS);
    }
    return member;
  }

  async #comeBack(closed: string, { segments }: HlsWindow): Promise<void> {
    const { engine, outputs, bytes, analyzer, window } = this.#stage;
    const newest = segments.at(-1)!.name;
    const later = await window(closed, 'a later segment', (seen) => seen.segments.at(-1)!.name !== newest);
    const { pictures } = await analyzer.inspect(await bytes(closed, later.segments));
    this.#private += pictures.filter(({ light }) => light < DARK_BELOW).length;
    this.#lights.show('bright');
    await eventually('the public picture', () => (this.#lights.shown === 'bright' ? true : null));
    await wait(UNDER_WAY_MS);
    await engine.move(closed, OPEN);
    await outputs.forget(closed);
  }

  async #count(kind: keyof PicturesCount, media: Buffer | null): Promise<void> {
    if (media) this.#add(kind, (await this.#stage.analyzer.inspect(media)).pictures);
  }

  #add(kind: keyof PicturesCount, pictures: readonly { readonly light: number }[]): void {
    this.#public[kind] += pictures.length;
    this.#leaked[kind] += pictures.filter(({ light }) => light < DARK_BELOW).length;
  }
}
