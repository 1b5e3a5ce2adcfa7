import { freeUdpPort } from '#platform/streaming/conformance/network/free-port.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RtpPorts } from '../messages.ts';
import { JanusApi } from './api.ts';
import { writeConfig, type JanusFiles } from './config.ts';

const STOP_LIMIT_MS = 5_000;

/** A Janus that runs, with one stream that takes plain packets. */
export interface Janus {
  readonly pid: number;
  readonly ports: RtpPorts;
  readonly api: JanusApi;
  readonly close: () => Promise<void>;
}

/** A TCP port of loopback that nobody uses at the moment. */
const freeTcpPort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? address?.port ?? 0 : 0));
    });
  });

/**
 * Starts Janus with its own configuration in a temporary folder. Throws with its output if it doesn't start.
 * It ends with `close`, or with this process.
 */
export async function startJanus(files: JanusFiles, isTuned: boolean, address: string): Promise<Janus> {
  const ports = {
    video: await freeUdpPort(),
    audio: await freeUdpPort(),
    videoReports: await freeUdpPort(),
    audioReports: await freeUdpPort(),
  };
  const apiPort = await freeTcpPort();
  const folder = mkdtempSync(join(tmpdir(), 'candela-bench-'));
  writeConfig(folder, files, { isTuned, address, apiPort, ports });
  const child = spawn(files.program, ['--configs-folder', folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', kill);
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => void printed.push(text.toString()));
  }
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  const api = new JanusApi(apiPort);
  const close = async (): Promise<void> => {
    api.close();
    await stop(child);
    process.off('exit', kill);
    kill();
  };
  try {
    await Promise.race([api.open(() => child.exitCode === null && child.signalCode === null), failed]);
    return { pid: child.pid ?? 0, ports, api, close };
  } catch (error) {
    await close();
    throw new Error(`Janus does not run:\n${printed.join('')}`, { cause: error });
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(impatient);
}
