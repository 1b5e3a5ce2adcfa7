import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A text in the hostile files that no made picture may contain. */
export const MARK = 'mark-of-the-sender';

export interface HostileFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Pseudo-random numbers, the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([bytesOf(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const PNG_HEAD = bytesOf('\x89PNG\r\n\x1A\n');

/** A PNG that claims this size, whatever its data is. */
function png(width: number, height: number, data: Uint8Array, more: readonly Uint8Array[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    PNG_HEAD,
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', data),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** Small pictures of each decoded type, with everything of the sender that such a file can contain. */
async function whole(): Promise<readonly HostileFile[]> {
  const noise = Buffer.alloc(64 * 48 * 3);
  const roll = dice(7);
  for (let at = 0; at < noise.length; at += 1) noise[at] = roll(256);
  const picture = () =>
    sharp(noise, { raw: { width: 64, height: 48, channels: 3 } }).withExif({
      IFD0: { ImageDescription: MARK, Copyright: MARK },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '51/1 30/1 0/1',
        GPSLongitudeRef: 'E',
        GPSLongitude: '7/1 0/1 0/1',
      },
    }).withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf>${MARK}</rdf></x:xmpmeta>`).withIccProfile('p3');
  const frames = Buffer.concat([noise, Buffer.from(noise).reverse()]);
  const moving = () => sharp(frames, { raw: { width: 64, height: 96, channels: 3, pageHeight: 48 } });
  return [
    { name: 'jpeg', bytes: await picture().jpeg().toBuffer() },
    { name: 'progressive jpeg', bytes: await picture().jpeg({ progressive: true }).toBuffer() },
    { name: 'png', bytes: await picture().png().toBuffer() },
    { name: 'webp', bytes: await picture().webp().toBuffer() },
    { name: 'gif', bytes: await moving().gif().toBuffer() },
    { name: 'moving webp', bytes: await moving().webp().toBuffer() },
  ];
}

/** Files that are no pictures, and pictures of types that are not decoded. */
async function others(): Promise<readonly HostileFile[]> {
  const square = sharp({ create: { width: 8, height: 8, channels: 3, background: '#f0f' } });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>${MARK}</script></svg>`;
  const texts: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['one byte', '\0'],
    ['text', `just a text ${MARK}`],
    ['html', `<html><script>${MARK}</script>`],
    ['html with a doctype', `<!DOCTYPE html><svg onload=alert(1)>${MARK}</svg>`],
    ['script', `#!/bin/sh\necho ${MARK}`],
    ['php', `<?php echo '${MARK}'; ?>`],
    ['pdf', `%PDF-1.7\n${MARK}`],
    ['zip', 'PK\x03\x04'.padEnd(99, 'x')],
    ['gzip', '\x1F\x8B\x08'.padEnd(99, '\0')],
    ['elf', '\x7FELF'.padEnd(99)],
    ['exe', 'MZ'.padEnd(99, '\0')],
    ['mp4', '\0\0\0\x18ftypisom'.padEnd(99, '\0')],
    ['wav', 'RIFF\x24\0\0\0WAVEfmt '],
    ['svg', svg],
    ['svg with a declaration', `<?xml version="1.0"?>\n<!-- a -->\n${svg}`],
    [
      'svg with entities',
      `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svg}`,
    ],
    ['svg that reads a file', svg.replace('<script>', '<image href="file:///etc/passwd"/><script>')],
    ['bmp', 'BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0'.padEnd(70, '\0')],
    ['ico', '\0\0\x01\0\x01\0'.padEnd(70, '\0')],
    ['psd', '8BPS\0\x01'.padEnd(70, '\0')],
    ['jxl', '\xFF\x0A'.padEnd(70, '\0')],
    ['jp2', '\0\0\0\x0CjP  \r\n\x87\n'.padEnd(70, '\0')],
    ['heic', '\0\0\0\x18ftypheic'.padEnd(70, '\0')],
    ['long text', MARK.repeat(9_999)],
  ];
  return [
    ...texts.map(([name, text]) => ({ name, bytes: bytesOf(text) })),
    { name: 'tiff', bytes: await square.clone().tiff().toBuffer() },
    { name: 'avif', bytes: await square.clone().avif().toBuffer() },
  ];
}

/** Files that begin as a picture and go on as something else. */
type Files = readonly HostileFile[];
const polyglots = (pictures: Files): Files =>
  pictures.flatMap(({ name, bytes }) => [
    ...['<script>', 'PK\x03\x04', '%PDF-1.7', '<?php '].map((begin) => ({
      name: `${name} with ${JSON.stringify(begin)} behind it`,
      bytes: Buffer.concat([bytes, bytesOf(begin + MARK)]),
    })),
    { name: `${name} behind html`, bytes: Buffer.concat([bytesOf(`<html>${MARK}</html>`), bytes]) },
    { name: `${name} twice`, bytes: Buffer.concat([bytes, bytes]) },
    ...[4, 8, 16, 40].map((length) => ({
      name: `${length} bytes of ${name}, then text`,
      bytes: Buffer.concat([bytes.subarray(0, length), bytesOf(MARK.repeat(20))]),
    })),
  ]);

const truncated = (pictures: Files): Files =>
  pictures.flatMap(({ name, bytes }) =>
    [0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.999].map((part) => ({
      name: `${part} of ${name}`,
      bytes: bytes.subarray(0, Math.floor(bytes.length * part)),
    }))
  );

/** Valid files with some flipped bits. */
function flipped(pictures: Files, times: number): Files {
  const roll = dice(11);
  return pictures.flatMap(({ name, bytes }) =>
    Array.from({ length: times }, (_one, nth) => {
      const changed = Buffer.from(bytes);
      for (let flips = 1 + roll(24); flips > 0; flips -= 1) {
        const at = roll(nth % 2 === 0 ? changed.length : Math.min(changed.length, 200));
        changed[at] = (changed[at] ?? 0) ^ (1 << roll(8));
      }
      return { name: `${name} with turned bits, ${nth}`, bytes: changed };
    })
  );
}

/** Widths and heights for the headers of such files. */
const HUGE: readonly (readonly [number, number])[] = [
  [100_000, 100_000],
  [2 ** 31 - 1, 1],
  [1, 2 ** 31 - 1],
  [65_535, 65_535],
  [0, 0],
  [40_001, 1_000],
];
/** Small files that claim to be huge, or are once decoded. */
async function bombs(): Promise<Files> {
  const zeros = deflateSync(Buffer.alloc(2_000_000));
  const gif = bytesOf(
    'GIF89a\xFF\xFF\xFF\xFF\x80\0\0\0\0\0\xFF\xFF\xFF,'
      + '\0\0\0\0\xFF\xFF\xFF\xFF\0\x02\x02L\x01\0;',
  );
  const flat = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#000' }, limitInputPixels: false });
  const text = chunk('zTXt', Buffer.concat([bytesOf(`${MARK}\0\0`), deflateSync(Buffer.alloc(40_000_000))]));
  const jpeg = Buffer.from(await flat(8, 8).jpeg().toBuffer());
  const size = jpeg.indexOf(bytesOf('\xFF\xC0')) + 5;
  jpeg.writeUInt16BE(65_500, size);
  jpeg.writeUInt16BE(65_500, size + 2);
  const webp = Buffer.from(await flat(8, 8).webp().toBuffer());
  const sides = webp.indexOf(bytesOf('\x9D\x01\x2A')) + 3;
  webp.writeUInt16LE(16_383, sides);
  webp.writeUInt16LE(16_383, sides + 2);
  return [
    ...HUGE.map(([width, height]) => ({
      name: `png of ${width}×${height}`,
      bytes: png(width, height, zeros),
    })),
    { name: 'png with a text of 40 MB', bytes: png(8, 8, deflateSync(Buffer.alloc(72)), [text]) },
    { name: 'png with more rows than it says', bytes: png(8, 8, deflateSync(Buffer.alloc(30_000_000))) },
    { name: 'gif of 65535×65535', bytes: gif },
    { name: 'jpeg of 65500×65500', bytes: jpeg },
    { name: 'webp of 16383×16383', bytes: webp },
    { name: 'png that is 8000×6000', bytes: await flat(8_000, 6_000).png().toBuffer() },
    { name: 'file that is too long', bytes: Buffer.concat([PNG_HEAD, Buffer.alloc(13_000_000)]) },
  ];
}

/** Over two hundred files that nobody should serve unchanged. */
export async function hostileFiles(): Promise<{
  /** Valid pictures full of the sender's data. */
  readonly pictures: readonly HostileFile[];
  readonly hostile: readonly HostileFile[];
}> {
  const pictures = await whole();
  const hostile = [
    ...(await others()),
    ...polyglots(pictures),
    ...truncated(pictures),
    ...flipped(pictures, 16),
    ...(await bombs()),
  ];
  return { pictures, hostile };
}
