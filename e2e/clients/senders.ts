import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { configureObs, OBS_NAME } from './obs.ts';

/** Where a sender publishes. */
export interface Place {
  readonly whip: string;
  readonly rtmp: string;
  readonly key: string;
  /** A video of some seconds, for senders that need a file. */
  readonly movie: string;
}

export interface Sender {
  readonly client: string;
  /** A command that prints its version. */
  readonly version: readonly string[];
  readonly sends: string;
  /** Whether it sends audio only. */
  readonly isSoundAlone?: boolean;
  readonly start: (place: Place) => readonly ChildProcess[];
}

const PYTHON = process.env['PYTHON'] ?? 'python3';
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore'], env: { ...process.env, ...env } });

const PICTURE = ['-re', '-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=30'] as const;
const TONE = ['-re', '-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'] as const;
const X264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-b:v', '1500k'] as const;

const ffmpeg = (sends: string, options: readonly string[]): Sender => ({
  client: 'ffmpeg',
  version: ['ffmpeg', '-version'],
  sends,
  start: ({ rtmp, key }) => [run('ffmpeg', [
    '-v',
    'quiet',
    ...PICTURE,
    ...TONE,
    ...options,
    '-c:a',
    'aac',
    '-f',
    'flv',
    `${rtmp}/${key}`,
  ])],
});

const aiortc = (codec: 'H264' | 'VP8'): Sender => ({
  client: 'aiortc',
  version: [PYTHON, '-c', 'import aiortc; print(aiortc.__version__)'],
  sends: `WHIP, ${codec}`,
  start: ({ whip, key }) => [run(PYTHON, [here('aiortc-publish.py'), whip, key, codec])],
});

const OBS_DISPLAY = ':77';

/** All senders; those whose program is not installed are skipped in a run. */
export const SENDERS: readonly Sender[] = [
  ffmpeg('RTMP, x264 defaults (B-frames)', X264),
  ffmpeg('RTMP, x264 baseline, keyframe a second', [...X264, '-profile:v', 'baseline', '-g', '30']),
  {
    client: 'ffmpeg',
    version: ['ffmpeg', '-version'],
    sends: 'RTMP, sound alone',
    isSoundAlone: true,
    start: (
      { rtmp, key },
    ) => [run('ffmpeg', ['-v', 'quiet', ...TONE, '-c:a', 'aac', '-f', 'flv', `${rtmp}/${key}`])],
  },
  {
    client: 'OBS under Xvfb',
    version: ['obs', '--version'],
    sends: 'RTMP, its own defaults',
    start: ({ rtmp, key, movie }) => {
      const home = mkdtempSync(join(tmpdir(), 'candela-obs-'));
      configureObs(home, rtmp, key, movie);
      const screen = run('Xvfb', [OBS_DISPLAY, '-screen', '0', '1280x720x24']);
      const obs = run('sh', [
        '-c',
        `sleep 2; exec obs --multi --startstreaming --profile ${OBS_NAME} `
        + `--collection ${OBS_NAME} --scene Scene`,
      ], {
        HOME: home,
        XDG_CONFIG_HOME: join(home, '.config'),
        XDG_RUNTIME_DIR: home,
        DISPLAY: OBS_DISPLAY,
        LIBGL_ALWAYS_SOFTWARE: '1',
        QT_QPA_PLATFORM: 'xcb',
      });
      return [obs, screen];
    },
  },
  {
    client: 'GStreamer rtmp2sink',
    version: ['gst-launch-1.0', '--version'],
    sends: 'RTMP, x264enc and voaacenc',
    start: ({ rtmp, key }) => [run('gst-launch-1.0', [
      '-q',
      ...'videotestsrc is-live=true pattern=ball'.split(' '),
      ...'! video/x-raw,format=I420,width=640,height=360,framerate=30/1'.split(' '),
      ...'! x264enc bitrate=1500 speed-preset=veryfast key-int-max=60 ! h264parse ! mux.'.split(' '),
      ...'audiotestsrc is-live=true ! audioconvert ! audioresample ! voaacenc ! aacparse ! mux.'.split(' '),
      ...'flvmux name=mux streamable=true ! rtmp2sink'.split(' '),
      `location=${rtmp}/${key}`,
    ])],
  },
  aiortc('H264'),
  aiortc('VP8'),
];

/** Ends what a sender started. */
export async function end(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) child.kill('SIGTERM');
  await sleep(1_000);
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}
