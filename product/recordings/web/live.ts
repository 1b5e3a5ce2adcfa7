import type { OutputOf } from '../../../platform/contract/call.ts';
import type { Connection } from '../../../platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useAction, useCache, useRead } from '../../../platform/ui/calls/calls.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { cancelTest, getTest, listRecordings, recordingsChanged } from '../client.ts';

/** While one runs its size is asked for this often; a person sees it grow. */
const RUNNING_MS = 5_000;
/** A test stands still for the eye for no longer than this. */
const TEST_MS = 1_000;

export type Listed = OutputOf<typeof listRecordings>;
export type OwnRecording = Listed['recordings'][number];

/** The newest recordings, the space and what runs; kept current while mounted. */
export function useRecordings(lobby: Connection | null) {
  const cache = useCache();
  const read = useRead(listRecordings, {}, { everyMs: RUNNING_MS });
  useEvent(lobby, recordingsChanged, ({ running, space }) => {
    changeCached(cache, listRecordings, {}, (listed) => ({ ...listed, running: running?.id ?? null, space }));
    void cache.invalidateQueries({ queryKey: queryKeyOf(listRecordings) });
  });
  return read;
}

/** Has the list asked for again: something of it was changed here. */
export function useReloadRecordings(): () => Promise<void> {
  const cache = useCache();
  return () => cache.invalidateQueries({ queryKey: queryKeyOf(listRecordings) });
}

export type TestView = OutputOf<typeof getTest>;

/** How the pre-show test stands; asked every second while it goes on by itself. */
export function useTest() {
  const cache = useCache();
  const known = cache.getQueryData<TestView>(queryKeyOf(getTest, {}));
  const goesOn = known?.state === 'waiting' || known?.state === 'recording' || known?.isSending === true;
  const read = useRead(getTest, {}, goesOn ? { everyMs: TEST_MS } : {});
  const reload = (): Promise<void> => cache.invalidateQueries({ queryKey: queryKeyOf(getTest) });
  return { test: read.data ?? null, reload };
}

/** Ends the test, whatever it does; the page knows at once. Answers whether it is ended. */
export function useCancelTest() {
  const cache = useCache();
  const { run, ...rest } = useAction(cancelTest);
  const cancel = async (): Promise<boolean> => {
    const done = await run({});
    await cache.invalidateQueries({ queryKey: queryKeyOf(getTest) });
    return done !== null;
  };
  return { ...rest, cancel };
}
