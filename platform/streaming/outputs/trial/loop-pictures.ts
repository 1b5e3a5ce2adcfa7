import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UNIT, unitType } from '../../wire/codecs/depacketize-h264.ts';
import { parametersOf } from '../../wire/codecs/h264-parameters.ts';
import { splitUnits } from '../../wire/codecs/h264.ts';
import type { Picture } from '../media/stream-reader.ts';
import { SOUND_FRAME, type SoundFrame } from '../media/tracks/sound-track.ts';

const LOOPS = fileURLToPath(new URL('../../../../product/testkit/loops/', import.meta.url));
export const FRAME_MS = 1_000 / 15;
const SLICES: ReadonlySet<number> = new Set([UNIT.slice, UNIT.idr]);

/** The pictures of a loop, a fifteenth of a second apart, starting at this time. */
export function loopPictures(name: string, startMs: number): Picture[] {
  const pictures: Picture[] = [];
  let units: Buffer[] = [];
  let parameters: Picture['parameters'] | null = null;
  for (const unit of splitUnits(readFileSync(`${LOOPS}${name}.h264`))) {
    if (unitType(unit) === UNIT.information) continue;
    units.push(unit);
    if (!SLICES.has(unitType(unit))) continue;
    parameters = parametersOf(units, parameters);
    const timeMs = startMs + pictures.length * FRAME_MS;
    pictures.push({
      units,
      parameters: parameters!,
      keyframe: unitType(unit) === UNIT.idr,
      jumped: false,
      sent: null,
      timeMs,
      arrivedMs: timeMs,
      timestamp: Math.round(pictures.length * FRAME_MS * 90),
    });
    units = [];
  }
  return pictures;
}

/** Audio frames from one time to another; their data is their number. */
export function soundBetween(fromMs: number, toMs: number): SoundFrame[] {
  const frames: SoundFrame[] = [];
  for (let at = Math.round(fromMs * 48); at < toMs * 48; at += SOUND_FRAME) {
    frames.push({ at, data: Buffer.from(`sound ${frames.length}`) });
  }
  return frames;
}

/** Passes video and audio to a sink in one order of time. */
export function play(
  pictures: readonly Picture[],
  sounds: readonly SoundFrame[],
  sink: { readonly picture: (picture: Picture) => void; readonly sound: (frame: SoundFrame) => void },
): void {
  const all = [
    ...pictures.map((picture) => ({ at: picture.timeMs * 48, give: () => sink.picture(picture) })),
    ...sounds.map((frame) => ({ at: frame.at, give: () => sink.sound(frame) })),
  ];
  for (const { give } of all.sort((a, b) => a.at - b.at)) give();
}
