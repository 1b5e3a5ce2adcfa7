import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { hostileFiles, MARK, type HostileFile } from './hostile-files.ts';
import { pictureType } from './picture-type.ts';
import { Pictures, type MadePicture, type PictureSize } from './pictures.ts';

const SIZES: readonly PictureSize[] = [
  { width: 40, height: 40, fit: 'cover' },
  { width: 10, height: 10, fit: 'cover' },
];
const pictures = new Pictures();
let whole: readonly HostileFile[];
let hostile: readonly HostileFile[];
beforeAll(async () => {
  ({ pictures: whole, hostile } = await hostileFiles());
}, 60_000);

const isMade = (made: unknown): made is readonly MadePicture[] => Array.isArray(made);

/** Asserts a complete WebP with pixels and nothing else, not a byte after it. */
async function expectClean(
  { bytes, width, height }: MadePicture,
  [wide, high]: readonly number[],
): Promise<void> {
  const data = Buffer.from(bytes);
  expect([data.toString('latin1', 0, 4), data.toString('latin1', 8, 12)]).toEqual(['RIFF', 'WEBP']);
  expect(data.readUInt32LE(4) + 8).toBe(data.length);
  for (const word of [MARK, 'EXIF', 'Exif', 'XMP ', 'ICCP', 'ANIM', 'GPS']) {
    expect(data.includes(word)).toBe(false);
  }
  const seen = await sharp(data).metadata();
  expect(seen).toMatchObject({ format: 'webp', width: wide, height: high });
  expect([width, height]).toEqual([wide, high]);
  expect([seen.exif, seen.xmp, seen.icc, seen.iptc, seen.pages ?? 1]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    1,
  ]);
  await sharp(data, { failOn: 'warning' }).raw().toBuffer();
}

describe('pictures', () => {
  it('of every type come out as clean WebP in each size', async () => {
    for (const { name, bytes } of whole) {
      const made = await pictures.make(bytes, SIZES);
      if (!isMade(made)) throw new Error(`${name}: ${made}`);
      await expectClean(made[0]!, [40, 40]);
      await expectClean(made[1]!, [10, 10]);
    }
  });

  it('are upright, and no larger than they were inside a size', async () => {
    const wide = await sharp({ create: { width: 60, height: 20, channels: 4, background: '#f00' } })
      .withExif({ IFD0: { Orientation: '6' } }).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const made = await pictures.make(wide, [
      { width: 400, height: 400, fit: 'inside' },
      { width: 30, height: 30, fit: 'inside' },
    ]);
    if (!isMade(made)) throw new Error(made);
    expect(made.map(({ width, height }) => [width, height])).toEqual([[20, 60], [10, 30]]);
  });

  it('keep their colours from CMYK, 16 bits, grey and palettes', async () => {
    const background = { r: 220, g: 20, b: 20 };
    const red = () => sharp({ create: { width: 50, height: 50, channels: 3, background } });
    const files = [
      await red().toColourspace('cmyk').jpeg().toBuffer(),
      await red().toColourspace('rgb16').png().toBuffer(),
      await red().png({ palette: true }).toBuffer(),
      await red().gif().toBuffer(),
    ];
    for (const file of files) {
      const made = await pictures.make(file, SIZES);
      if (!isMade(made)) throw new Error(made);
      const [r = 0, g = 0, b = 0] = await sharp(made[0]!.bytes).raw().toBuffer();
      expect(r > 180 && g < 70 && b < 70).toBe(true);
    }
    const grey = await pictures.make(await red().greyscale().png().toBuffer(), SIZES);
    expect(isMade(grey)).toBe(true);
  });

  it('that are hostile are refused or come out clean, and the process goes on', async () => {
    expect(hostile.length).toBeGreaterThanOrEqual(200);
    const outcomes = new Map<string, number>();
    for (const { name, bytes } of hostile) {
      const made = await pictures.make(bytes, SIZES);
      const outcome = isMade(made) ? 'made' : made;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (!isMade(made)) continue;
      for (const [nth, one] of made.entries()) {
        await expectClean(one, nth === 0 ? [40, 40] : [10, 10]).catch((error: unknown) => {
          throw new Error(`${name} is not clean`, { cause: error });
        });
      }
    }
    expect([...outcomes.keys()].sort())
      .toEqual(['made', 'not_picture', 'other_type', 'too_large', 'unreadable']);
    // Polyglots are whole pictures; few of them are lost.
    expect(outcomes.get('made')).toBeGreaterThan(20);
    expect(outcomes.get('unreadable')).toBeGreaterThan(50);
  }, 120_000);

  it('are refused by name', async () => {
    const named = (name: string) => hostile.find((file) => file.name === name)!.bytes;
    const faultOf = (name: string) => pictures.make(named(name), SIZES);
    for (const name of [
      'nothing',
      'text',
      'html',
      'php',
      'pdf',
      'mp4',
      'jpeg behind html',
      'html with a doctype',
    ]) {
      expect([name, await faultOf(name)]).toEqual([name, 'not_picture']);
    }
    for (const name of [
      'svg',
      'svg with a declaration',
      'bmp',
      'ico',
      'psd',
      'jxl',
      'jp2',
      'heic',
      'tiff',
      'avif',
    ]) {
      expect([name, await faultOf(name)]).toEqual([name, 'other_type']);
    }
    for (const name of [
      'png of 100000×100000',
      'webp of 16383×16383',
      'png that is 8000×6000',
      'jpeg of 65500×65500',
      'file that is too long',
    ]) {
      expect([name, await faultOf(name)]).toEqual([name, 'too_large']);
    }
    expect(await faultOf('0.5 of jpeg')).toBe('unreadable');
  });

  it('take turns, and too many at once are refused', async () => {
    const [{ bytes } = { bytes: new Uint8Array() }] = whole;
    const all = await Promise.all(Array.from({ length: 30 }, () => pictures.make(bytes, SIZES)));
    expect(all.filter((item) => item === 'busy')).toHaveLength(12);
    expect(all.filter(isMade)).toHaveLength(18);
    expect(isMade(await pictures.make(bytes, SIZES))).toBe(true);
  });

  it('have the type of their content', () => {
    expect(whole.map(({ bytes }) => pictureType(bytes)))
      .toEqual(['jpeg', 'jpeg', 'png', 'webp', 'gif', 'webp']);
  });
});
