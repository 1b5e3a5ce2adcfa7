/**
 * Makes the loops the demo streams show: scenes drawn frame by frame, one for each performer who is live,
 * and a quiet pad of sound for
 * each.
 *
 *   node tools/upkeep/make-loops.mjs [scene …]
 *
 * Needs `ffmpeg` with libx264 and libopus on the PATH; only a developer who changes a scene runs it. Output
 * goes to `product/testkit/loops`: H.264 Annex B without B-frames (WebRTC has none), a keyframe every two
 * seconds, and Ogg Opus in 60 ms frames (a third of the packets of the usual 20 ms).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { calmScenes } from './loops/calm-scenes.mjs';
import { HEIGHT, scatter, WIDTH } from './loops/draw.mjs';
import { peopleScenes } from './loops/people-scenes.mjs';
import { placeScenes } from './loops/place-scenes.mjs';

const OUT = fileURLToPath(new URL('../../product/testkit/loops/', import.meta.url));
const FPS = 15;
const SECONDS = 10;
/** A whole number of 60 ms frames near the picture's length; the two loop on their own. */
const SOUND_SECONDS = 9.96;
const MAX_BYTES = 350_000;

const scenes = { ...calmScenes, ...peopleScenes, ...placeScenes };

/** Root, fifth and third of each scene's chord in hertz. */
const chords = {
  candle: [110, 165, 220],
  seaside: [98, 147, 247],
  lanterns: [131, 196, 330],
  silk: [117, 175, 277],
  aurora: [87, 131, 262],
  lavalamp: [104, 156, 311],
  evening: [123, 185, 294],
  neon: [92, 139, 233],
  dancer: [147, 220, 370],
  yoga: [98, 147, 196],
  guitar: [110, 165, 277],
  piano: [131, 196, 262],
  painter: [117, 175, 294],
  kitchen: [139, 208, 349],
  drummer: [82, 123, 208],
  puppets: [156, 233, 392],
  rain: [92, 139, 185],
  fireplace: [87, 131, 220],
  aquarium: [104, 156, 262],
  snowfall: [123, 185, 311],
  skyline: [78, 117, 196],
  train: [110, 165, 247],
  vinyl: [98, 147, 233],
  fireflies: [131, 196, 311],
};

/** Film grain that stands still: it hides the steps of dark gradients, and costs nothing after a keyframe. */
const grain = await sharp(
  Buffer.from(
    Uint8Array.from(
      { length: WIDTH * HEIGHT * 4 },
      (_, i) => i % 4 === 3 ? 9 : 255 * scatter(Math.floor(i / 4), 9),
    ),
  ),
  { raw: { width: WIDTH, height: HEIGHT, channels: 4 } },
)
  .png().toBuffer();

function frame(scene, t) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"
    viewBox="0 0 ${WIDTH} ${HEIGHT}">${scenes[scene](t)}</svg>`;
  return sharp(Buffer.from(svg)).composite([{ input: grain, blend: 'overlay' }]).removeAlpha().raw()
    .toBuffer();
}

function ffmpeg(args) {
  const child = spawn('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...args], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const done = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`ffmpeg failed (${code})`);
  });
  return { input: child.stdin, done };
}

async function makePicture(scene) {
  const file = `${OUT}${scene}.h264`;
  const { input, done } = ffmpeg([
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-s',
    `${WIDTH}x${HEIGHT}`,
    '-r',
    String(FPS),
    '-i',
    '-',
    '-c:v',
    'libx264',
    '-preset',
    'veryslow',
    '-profile:v',
    'baseline',
    '-level',
    '3.1',
    '-pix_fmt',
    'yuv420p',
    '-g',
    String(2 * FPS),
    '-keyint_min',
    String(2 * FPS),
    '-sc_threshold',
    '0',
    '-bf',
    '0',
    '-b:v',
    '200k',
    '-maxrate',
    '280k',
    '-bufsize',
    '500k',
    '-x264-params',
    'slices=1:repeat-headers=1:aud=0',
    '-bsf:v',
    'filter_units=remove_types=6',
    '-f',
    'h264',
    file,
  ]);
  for (let i = 0; i < FPS * SECONDS; i++) {
    if (!input.write(await frame(scene, i / (FPS * SECONDS)))) await once(input, 'drain');
  }
  input.end();
  await done;
  return file;
}

async function makeSound(scene) {
  const file = `${OUT}${scene}.opus`;
  // Every part turns a whole number of times in the loop, so that its end meets its beginning.
  const turns = (hertz) => Math.round(hertz * SOUND_SECONDS) / SOUND_SECONDS;
  const voices = chords[scene].map((hertz, i) =>
    `0.03*sin(2*PI*${turns(hertz)}*t)*(0.6+0.4*sin(2*PI*${
      i +
      1
    }/${SOUND_SECONDS}*t))`
  );
  const { input, done } = ffmpeg([
    '-f',
    'lavfi',
    '-i',
    `aevalsrc='${voices.join('+')}':s=48000:d=${SOUND_SECONDS}`,
    '-c:a',
    'libopus',
    '-b:a',
    '16k',
    '-ac',
    '1',
    '-frame_duration',
    '60',
    '-map_metadata',
    '-1',
    '-f',
    'ogg',
    file,
  ]);
  input.end();
  await done;
  return file;
}

await mkdir(OUT, { recursive: true });
const chosen = process.argv.slice(2);
for (const scene of Object.keys(scenes)) {
  if (chosen.length > 0 && !chosen.includes(scene)) continue;
  for (const file of [await makePicture(scene), await makeSound(scene)]) {
    const { size } = await stat(file);
    console.log(`${file.slice(OUT.length).padEnd(16)} ${String(size).padStart(7)} bytes`);
    if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
  }
}
