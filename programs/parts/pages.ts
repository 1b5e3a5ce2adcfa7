import { systemClock } from '#platform/data/clock.ts';
import type { Host } from '#platform/http/host.ts';
import { pages, type PagesOptions } from '#platform/http/pages/ssr.ts';
import { serveFiles } from '#platform/http/pages/static.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Build = Parameters<typeof pages>[0];

/** Origins of billers whose pages may be framed by an operator's pages. */
export type Frames = NonNullable<PagesOptions['frames']>;
/** Called when a document with a mark is sent. */
export type OnMarked = NonNullable<PagesOptions['onMarked']>;

/** Mounts the built pages and their files; resolves with false when nothing is built. */
export async function mountPages(
  root: string,
  { app, logError, mountPages: mount }: Host,
  frames: Frames = () => [],
  onMarked: OnMarked = () => {},
): Promise<boolean> {
  const entry = join(root, 'dist/web/server/index.js');
  if (!existsSync(entry)) return false;
  const options: PagesOptions = { clock: systemClock, logError, mode: 'production', frames, onMarked };
  const build = (await import(pathToFileURL(entry).href)) as Build;
  await serveFiles(app, join(root, 'dist/web/client'));
  const { handle, cached } = pages(build, options);
  mount(handle, cached);
  return true;
}
