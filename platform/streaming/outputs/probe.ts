import type { Clock } from '#platform/data/clock.ts';
import type { ChildEntry } from '../child-entry.ts';
import { PROBE_MS } from './limits.ts';
import { MediaChild } from './media-child.ts';

/** Why the media library does not run on this machine, in one line; null when it runs. */
export interface ProbeNews {
  readonly trouble: string | null;
}

/** Tries the media library in a process of its own, since loading it may crash the process. */
export async function probeLibrary(entry: ChildEntry, clock: Clock): Promise<string | null> {
  let send: (trouble: string | null) => void = () => undefined;
  const received = new Promise<string | null>((resolve) => {
    send = resolve;
  });
  const child = new MediaChild<never, ProbeNews>({
    entry,
    clock,
    settings: {},
    news: ({ trouble }) => send(trouble),
    died: (detail) => send(`the library ends its process (${detail})`),
  });
  const cancel = clock.after('probe', PROBE_MS, () => send('it does not load in time'));
  const trouble = await received;
  cancel();
  await child.kill();
  return trouble === null ? null : trouble.split('\n', 1)[0] ?? '';
}
