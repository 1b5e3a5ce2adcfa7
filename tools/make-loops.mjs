/**
 * Makes the loops the demo streams show: eight calm scenes drawn frame by frame, and a quiet pad of sound for
 * each.
 *
 *   node tools/make-loops.mjs [scene …]
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

const OUT = fileURLToPath(new URL('../product/testkit/loops/', import.meta.url));
const WIDTH = 640;
const HEIGHT = 360;
const FPS = 15;
const SECONDS = 10;
/** A whole number of 60 ms frames near the picture's length; the two loop on their own. */
const SOUND_SECONDS = 9.96;
const MAX_BYTES = 350_000;

const TURN = 2 * Math.PI;
/** A wave that ends where it began: `cycles` whole turns in the loop. */
const wave = (t, cycles = 1, phase = 0) => Math.sin(TURN * (cycles * t + phase));
const round = (value) => Math.round(value * 100) / 100;
/** Repeatable scatter in 0–1 for the i-th thing of a scene. */
const scatter = (i, salt = 0) => {
  const value = Math.sin((i + 1) * 127.1 + (salt + 1) * 311.7) * 43758.5453;
  return value - Math.floor(value);
};
const each = (count, draw) => Array.from({ length: count }, (_, i) => draw(i)).join('');
const stops = (...colours) => colours.map((colour, i) =>
  `<stop offset="${round(i / (colours.length - 1))}" stop-color="${colour}"/>`).join('');
const down = (id, ...colours) => `<linearGradient id="${id}" x1="0" y1="0" x2="0"
  y2="1">${stops(...colours)}</linearGradient>`;
const glow = (id, colour, strength = 1) => `<radialGradient id="${id}"><stop offset="0" stop-color="${colour}"
  stop-opacity="${round(strength)}"/><stop offset="1" stop-color="${colour}"
    stop-opacity="0"/></radialGradient>`;
const blur = (id, deviation) => `<filter id="${id}" x="-50%" y="-50%" width="200%" height="200%">
  <feGaussianBlur stdDeviation="${deviation}"/></filter>`;
const disc = (x, y, r, fill, more = '') =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="${fill}" ${more}/>`;
const backdrop = (fill) => `<rect width="${WIDTH}" height="${HEIGHT}" fill="${fill}"/>`;
const path = (d, fill, more = '') => `<path d="${d}" fill="${fill}" ${more}/>`;

/** A band whose upper edge undulates, closed at the bottom of the picture. */
function swell(t, y, height, cycles, phase, drift) {
  const points = Array.from({ length: 33 }, (_, i) => {
    const x = (i / 32) * WIDTH;
    const lift = Math.sin(TURN * (cycles * i / 32 + phase + drift * t)) + 0.4 * wave(t, 1, phase + i / 20);
    return `${round(x)},${round(y + height * lift)}`;
  });
  return `M0,${HEIGHT} L${points.join(' L')} L${WIDTH},${HEIGHT} Z`;
}

/** Hair tied up in a knot, with earrings that catch the light. */
const KNOT = `<circle cx="4" cy="-80" r="22"/>
  <circle cx="-39" cy="2" r="3" fill="#ffe9c4"/><circle cx="39" cy="2" r="3" fill="#ffe9c4"/>`;
const HEADPHONES = `<path d="M-40,-24 A41,50 0 0 1 40,-24" fill="none" stroke="#46e0ff" stroke-width="5"/>
  <rect x="-49" y="-38" width="15" height="36" rx="7" fill="#46e0ff"/>
  <rect x="34" y="-38" width="15" height="36" rx="7" fill="#46e0ff"/>`;

/** Head, neck and shoulders against the light. */
function bust(t, x, y, size, worn) {
  const sway = 6 * wave(t, 1) + 2 * wave(t, 3, 0.2);
  const breath = round(1 + 0.012 * wave(t, 3));
  const tilt = round(3 * wave(t, 1, 0.1));
  return `<g transform="translate(${round(x + sway)} ${y}) scale(${size})">
    <path d="M-19,0 C-18,26 -20,38 -30,46 C-66,60 -112,66 -124,220 L124,220 C112,66 66,60 30,46
      C20,38 18,26 19,0 Z" transform="scale(${breath} 1)"/>
    <g transform="rotate(${tilt} 0 20)"><ellipse cx="0" cy="-22" rx="37" ry="46"/>${worn}</g></g>`;
}


const scenes = {
  candle: (t) => {
    const flicker = 0.5 * wave(t, 7) + 0.3 * wave(t, 11, 0.3) + 0.2 * wave(t, 17, 0.6);
    const lean = 5 * wave(t, 3) + 3 * wave(t, 5, 0.4);
    const tip = 96 - 8 * flicker;
    return `<defs>${down('wall', '#1c0f14', '#2a1414', '#120909')}${glow('halo', '#ff9a3c', 0.62 + 0.08 *
      flicker)}
      ${glow('near', '#ffd27a', 0.75)}${down('wax', '#ffdca8', '#e0925a', '#7c3d26')}
      ${down('flame', '#ffb347', '#fff1b8', '#ffcf6b')}${blur('soft', 3)}${blur('far', 9)}</defs>
      ${backdrop('url(#wall)')}
      ${each(9, (i) => disc(40 + 70 * i + 8 * wave(t, 1, scatter(i)), 60 + 150 * scatter(i, 1), 14 + 18 *
        scatter(i, 2),
        i % 2 ? '#b3541e' : '#8c3b2a', `opacity="${round(0.22 + 0.1 * wave(t, 2, scatter(i, 3)))}"
          filter="url(#far)"`))}
      ${disc(320, 150, 250 + 8 * flicker, 'url(#halo)')}
      <ellipse cx="320" cy="338" rx="210" ry="26" fill="#ff9a3c" opacity="${round(0.16 + 0.04 * flicker)}"/>
      <rect x="285" y="190" width="70" height="150" rx="8" fill="url(#wax)"/>
      <ellipse cx="320" cy="192" rx="35" ry="9" fill="#ffe6bd"/>
      <path d="M320,190 L${round(320 + lean / 4)},172" stroke="#3a2216" stroke-width="3"/>
      ${disc(320 + lean / 2, 145, 62, 'url(#near)')}
      ${path(`M320,184 C292,164 306,132 ${round(320 + lean)},${round(tip)} C334,132 348,164 320,184 Z`,
        'url(#flame)',
        'filter="url(#soft)"')}
      ${path(`M320,182 C309,170 314,154 ${round(320 + lean / 2)},140 C326,154 331,170 320,182 Z`, '#fffbe6',
        'opacity="0.85"')}`;
  },

  seaside: (t) => `<defs>${down('sky', '#2b1b4d', '#8a3b6b', '#f0745a', '#ffc27a')}${glow('halo', '#ffe0a0',
    0.9)}
    ${down('sea', '#e0785c', '#5a2f5e', '#1e1638')}${blur('soft', 7)}</defs>
    ${backdrop('url(#sky)')}
    ${each(4, (i) => `<ellipse cx="${round(80 + 170 * i + 26 * wave(t, 1, i / 4))}" cy="${50 + 24 * (i % 3)}"
      rx="${110 + 30 * (i % 2)}" ry="9" fill="#ffb199" opacity="0.35" filter="url(#soft)"/>`)}
    ${disc(320, 196, 170 + 5 * wave(t, 1), 'url(#halo)')}${disc(320, 200, 46, '#fff0c4')}
    <rect y="206" width="${WIDTH}" height="154" fill="url(#sea)"/>
    ${each(11, (i) => {
      const y = 214 + 12 * i;
      const half = 26 + 6.5 * i + 9 * wave(t, 1 + (i % 3), scatter(i));
      return `<rect x="${round(320 - half + 5 * wave(t, 1, scatter(i, 1)))}" y="${y}" width="${round(2 *
        half)}"
        height="${round(3 + i / 4)}" rx="2" fill="#ffd9a0" opacity="${round(0.6 - 0.04 * i)}"/>`;
    })}
    ${path(swell(t, 300, 7, 2, 0, 1), '#3a2350', 'opacity="0.55"')}${path(swell(t, 330, 8, 3, 0.4, -1),
      '#1a1230', 'opacity="0.8"')}`,

  lanterns: (t) => `<defs>${down('sky', '#0b1030', '#2a1c4f', '#6a2f5a', '#c4603f')}
    ${down('paper', '#ffd98a', '#ff9d45', '#d4562a')}${glow('halo', '#ffb25a', 0.55)}${blur('far',
      1.6)}</defs>
    ${backdrop('url(#sky)')}
    ${each(40, (i) => disc(WIDTH * scatter(i), 190 * scatter(i, 1), 0.7 + scatter(i, 2), '#fff3d6',
      `opacity="${round(0.5 + 0.4 * wave(t, 1 + (i % 3), scatter(i, 3)))}"`))}
    ${each(14, (i) => {
      const size = 0.35 + 0.75 * (i / 13);
      const rise = (scatter(i, 1) + t) % 1;
      const x = WIDTH * ((i * 0.382 + 0.1) % 1) + 12 * wave(t, 1, scatter(i));
      const y = HEIGHT + 60 - rise * (HEIGHT + 130);
      return `<g transform="translate(${round(x)} ${round(y)}) scale(${round(size)}) rotate(${round(3 *
        wave(t, 1, scatter(i, 4)))})"
        ${i < 6 ? 'filter="url(#far)"' : ''}>${disc(0, 0, 70, 'url(#halo)')}
        <path d="M-20,-30 Q0,-38 20,-30 Q30,0 18,28 L-18,28 Q-30,0 -20,-30 Z" fill="url(#paper)"/>
        <ellipse cx="0" cy="27" rx="17" ry="4" fill="#fff2c2"/></g>`;
    })}
    ${path(swell(0, 338, 12, 2, 0.1, 0), '#1a1030')}`,

  silk: (t) => `<defs>${down('room', '#3a0f2e', '#6d1c46', '#2a0a26')}
    ${each(7, (i) => `<linearGradient id="s${i}" x1="0" y1="0" x2="1" y2="1">${stops(
      ['#ff8fa8', '#ffb38a', '#e8618c', '#ffc9a3', '#c23b74', '#ff9f9f', '#8f2462'][i],
      ['#c23b74', '#e8618c', '#7a1d56', '#d4567e', '#4d1040', '#a52c68', '#3a0c34'][i])}</linearGradient>`)}
    ${glow('light', '#ffd9c0', 0.4)}${blur('soft', 1.2)}</defs>
    ${backdrop('url(#room)')}${disc(470 + 30 * wave(t), 70, 260, 'url(#light)')}
    ${each(7, (i) => path(swell(t, 70 + 44 * i, 26 + 5 * wave(t, 1, i / 7), 1 + (i % 2) * 0.5, i * 0.23, i %
      2 ? 1 : -1),
      `url(#s${i})`, `opacity="${round(0.82 - 0.03 * i)}" filter="url(#soft)"`))}`,

  aurora: (t) => `<defs>${down('sky', '#050b22', '#0d2140', '#1d3a55')}${down('veil', '#7cffcb', '#36c9a0',
    '#1d3a55')}
    ${down('violet', '#d59bff', '#7a5cd6', '#1d3a55')}${blur('soft', 14)}</defs>
    ${backdrop('url(#sky)')}
    ${each(60, (i) => disc(WIDTH * scatter(i), 250 * scatter(i, 1), 0.6 + 0.9 * scatter(i, 2), '#eaf6ff',
      `opacity="${round(0.5 + 0.35 * wave(t, 1 + (i % 4), scatter(i, 3)))}"`))}
    ${each(9, (i) => {
      const x = 20 + 75 * i + 30 * wave(t, 1, i / 9);
      const top = 40 + 26 * wave(t, 1, i / 5);
      const shade = i % 3 === 1 ? 'url(#violet)' : 'url(#veil)';
      return path(`M${round(x - 44)},${round(top)} Q${round(x + 20 * wave(t, 2, i / 4))},${round(top - 34)}
        ${round(x + 52)},${round(top + 8)}
        L${round(x + 26)},292 L${round(x - 26)},292 Z`, shade,
      `opacity="${round(0.34 + 0.14 * wave(t, 2, i / 3))}" filter="url(#soft)"`);
    })}
    ${path(swell(0, 285, 24, 1.5, 0.2, 0), '#0c1a2b')}${path(swell(0, 318, 16, 2.5, 0.6, 0), '#060d18')}
    ${each(16, (i) => path(`M${20 + 42 * i},${340 - 4 * (i % 3)} l9,-${34 + (i * 7) % 22} l9,${34 + (i * 7) %
      22} Z`, '#04080f'))}`,

  lavalamp: (t) => `<defs>${down('room', '#1b0b2e', '#3a1140', '#150820')}${down('liquid', '#ff7b54',
    '#e0356b', '#7a1b7a')}
    ${glow('halo', '#ff5d8f', 0.5)}<filter id="goo"><feGaussianBlur stdDeviation="9"/>
    <feColorMatrix values="1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 20 -8"/></filter>
    <clipPath id="glass"><path d="M262,20 L378,20 L412,300 L228,300 Z"/></clipPath></defs>
    ${backdrop('url(#room)')}${disc(320, 170, 270 + 6 * wave(t), 'url(#halo)')}
    ${path('M262,20 L378,20 L412,300 L228,300 Z', 'url(#liquid)')}
    <g clip-path="url(#glass)"><g filter="url(#goo)">${each(9, (i) => {
      const y = 165 + 135 * wave(t, 1, scatter(i)) * (0.6 + 0.4 * scatter(i, 1));
      return disc(320 + 46 * wave(t, 1, scatter(i, 2)) * (0.5 + 0.5 * scatter(i, 3)), y, 15 + 17 * scatter(i,
        4), '#ffe08a');
    })}<ellipse cx="320" cy="304" rx="92" ry="26" fill="#ffe08a"/><ellipse cx="320" cy="14" rx="56" ry="14"
      fill="#ffe08a"/></g></g>
    ${path('M228,300 L412,300 L392,346 L248,346 Z', '#2b1a33')}${path('M262,20 L378,20 L366,4 L274,4 Z',
      '#2b1a33')}
    ${path('M276,30 L292,30 L268,290 L246,290 Z', '#ffffff', 'opacity="0.13"')}`,

  evening: (t) => `<defs>${down('wall', '#ffb27a', '#e0696a', '#6d2a5c')}${glow('lamp', '#fff2c8', 0.95)}
    ${blur('soft', 10)}${blur('edge', 1)}</defs>
    ${backdrop('url(#wall)')}
    ${each(10, (i) => disc(WIDTH * ((i * 0.618) % 1) + 14 * wave(t, 1, scatter(i)), 50 + 220 * scatter(i, 1),
      22 + 26 * scatter(i, 2), i % 3 ? '#ffd49a' : '#ff8a8a',
      `opacity="${round(0.3 + 0.1 * wave(t, 1, scatter(i, 3)))}" filter="url(#soft)"`))}
    ${disc(320, 150, 190 + 5 * wave(t, 2), 'url(#lamp)')}
    <g fill="#2a0f33" filter="url(#edge)">${bust(t, 320, 196, 1.16, KNOT)}</g>`,

  neon: (t) => {
    const pulse = 0.75 + 0.2 * wave(t, 2);
    return `<defs>${down('room', '#0c1030', '#2a1250', '#120a26')}${blur('bloom', 9)}${blur('edge', 0.8)}
      ${glow('fill', '#ff4fa3', 0.35)}</defs>
      ${backdrop('url(#room)')}
      ${each(5, (i) => `<rect x="${60 + 130 * i}" y="0" width="3" height="${HEIGHT}" fill="#3fd0ff"
        opacity="${round(0.2 + 0.12 * wave(t, 1, i / 5))}" filter="url(#bloom)"/>`)}
      ${disc(320, 150, 220, 'url(#fill)')}
      <circle cx="320" cy="150" r="118" fill="none" stroke="#ff5fb0" stroke-width="16"
        opacity="${round(pulse)}" filter="url(#bloom)"/>
      <circle cx="320" cy="150" r="118" fill="none" stroke="#ffd1ea" stroke-width="4"/>
      <g fill="#0d0720" filter="url(#edge)">${bust((t + 0.5) % 1, 320, 200, 1.12, HEADPHONES)}</g>
      ${each(12, (i) => disc(WIDTH * ((i * 0.382) % 1), (HEIGHT + 20) * ((scatter(i) + 1 - t) % 1) - 10, 2 +
        2 * scatter(i, 1),
        i % 2 ? '#ff9ad1' : '#8fe9ff', `opacity="${round(0.4 + 0.3 * wave(t, 2, scatter(i, 2)))}"`))}`;
  },
};

/** Root, fifth and third of each scene's chord in hertz. */
const chords = {
  candle: [110, 165, 220], seaside: [98, 147, 247], lanterns: [131, 196, 330], silk: [117, 175, 277],
  aurora: [87, 131, 262], lavalamp: [104, 156, 311], evening: [123, 185, 294], neon: [92, 139, 233],
};

/** Film grain that stands still: it hides the steps of dark gradients, and costs nothing after a keyframe. */
const grain = await sharp(Buffer.from(Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) =>
  i % 4 === 3 ? 9 : 255 * scatter(Math.floor(i / 4), 9))), { raw: { width: WIDTH, height: HEIGHT, channels: 4
    } })
  .png().toBuffer();

function frame(scene, t) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"
    viewBox="0 0 ${WIDTH} ${HEIGHT}">${scenes[scene](t)}</svg>`;
  return sharp(Buffer.from(svg)).composite([{ input: grain, blend: 'overlay'
    }]).removeAlpha().raw().toBuffer();
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
    '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${WIDTH}x${HEIGHT}`, '-r', String(FPS), '-i', '-',
    '-c:v', 'libx264', '-preset', 'veryslow', '-profile:v', 'baseline', '-level', '3.1', '-pix_fmt',
      'yuv420p',
    '-g', String(2 * FPS), '-keyint_min', String(2 * FPS), '-sc_threshold', '0', '-bf', '0',
    '-b:v', '200k', '-maxrate', '280k', '-bufsize', '500k', '-x264-params', 'slices=1:repeat-headers=1:aud=0',
    '-bsf:v', 'filter_units=remove_types=6', '-f', 'h264', file,
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
  const voices = chords[scene].map((hertz, i) => `0.03*sin(2*PI*${turns(hertz)}*t)*(0.6+0.4*sin(2*PI*${i +
    1}/${SOUND_SECONDS}*t))`);
  const { input, done } = ffmpeg([
    '-f', 'lavfi', '-i', `aevalsrc='${voices.join('+')}':s=48000:d=${SOUND_SECONDS}`,
    '-c:a', 'libopus', '-b:a', '16k', '-ac', '1', '-frame_duration', '60', '-map_metadata', '-1', '-f',
      'ogg', file,
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
