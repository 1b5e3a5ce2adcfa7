import { accessSync, constants, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { VIEWED, type RtpPorts } from '../messages.ts';

/** The program, and the two of its libraries that the bench loads. */
export interface JanusFiles {
  readonly program: string;
  readonly plugin: string;
  readonly transport: string;
}

export interface JanusSettings {
  /** One event loop for all viewers instead of Janus's default, a thread for each. */
  readonly isTuned: boolean;
  /** Address of its media. Not loopback: Janus ignores it whatever the configuration says. */
  readonly address: string;
  readonly apiPort: number;
  readonly ports: Required<RtpPorts>;
}

export const MOUNTPOINT = 1;
const PLUGIN = join('plugins', 'libjanus_streaming.so');
const TRANSPORT = join('transports', 'libjanus_http.so');

function isThere(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Janus on PATH, and its libraries where Debian or a local build puts them; null without them. */
export function findJanus(): JanusFiles | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const program = folders.map((folder) => join(folder, 'janus'))
    .find((path) => isThere(path, constants.X_OK));
  const libraries = ['/usr/lib', '/usr/local/lib', '/opt/janus/lib'];
  const found = libraries.flatMap((folder) => [folder, ...listed(folder).map((name) => join(folder, name))])
    .map((folder) => join(folder, 'janus'))
    .find((folder) => [PLUGIN, TRANSPORT].every((file) => isThere(join(folder, file), constants.R_OK)));
  if (program === undefined || found === undefined) return null;
  return { program, plugin: join(found, PLUGIN), transport: join(found, TRANSPORT) };
}

/** Writes a configuration into an empty folder: one stream in, one API on loopback, and nothing else. */
export function writeConfig(folder: string, files: JanusFiles, settings: JanusSettings): void {
  for (const kind of ['plugins', 'transports', 'events', 'loggers']) mkdirSync(join(folder, kind));
  symlinkSync(files.plugin, join(folder, PLUGIN));
  symlinkSync(files.transport, join(folder, TRANSPORT));
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(folder, `janus.${name}jcfg`), `${lines.join('\n')}\n`);
  write('', general(folder, settings));
  write('transport.http.', [
    'general: {',
    'json = "compact"',
    'base_path = "/janus"',
    'http = true',
    `port = ${settings.apiPort}`,
    'ip = "127.0.0.1"',
    'https = false',
    '}',
    'admin: {',
    'admin_http = false',
    'admin_https = false',
    '}',
  ]);
  write('plugin.streaming.', mountpoint(settings.ports));
}

const general = (folder: string, { isTuned, address }: JanusSettings): string[] => [
  'general: {',
  `configs_folder = "${folder}"`,
  ...['plugins', 'transports', 'events', 'loggers'].map((kind) => `${kind}_folder = "${join(folder, kind)}"`),
  // 2 is errors only: logging would be work that the others don't do.
  'debug_level = 2',
  'debug_colors = false',
  'admin_secret = "unused"',
  `interface = "${address}"`,
  'session_timeout = 0',
  ...(isTuned ? ['event_loops = 1'] : []),
  '}',
  'media: {',
  'ipv6 = false',
  '}',
  'nat: {',
  'nice_debug = false',
  `ice_enforce_list = "${address}"`,
  '}',
];

const mountpoint = ({ video, audio, videoReports, audioReports }: JanusSettings['ports']): string[] => [
  'bench: {',
  'type = "rtp"',
  `id = ${MOUNTPOINT}`,
  'media = (',
  '{',
  'type = "video"',
  `mid = "${VIEWED.video.mid}"`,
  `pt = ${VIEWED.video.payloadType}`,
  'codec = "h264"',
  'fmtp = "profile-level-id=42e01f;packetization-mode=1"',
  'iface = "127.0.0.1"',
  `port = ${video}`,
  `rtcpport = ${videoReports}`,
  '},',
  '{',
  'type = "audio"',
  `mid = "${VIEWED.audio.mid}"`,
  `pt = ${VIEWED.audio.payloadType}`,
  'codec = "opus"',
  'iface = "127.0.0.1"',
  `port = ${audio}`,
  `rtcpport = ${audioReports}`,
  '}',
  ')',
  '}',
];
