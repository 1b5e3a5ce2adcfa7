import type { OutputOf } from '../../../platform/contract/call.ts';
import type { Connection } from '../../../platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useAction, useCache, useRead } from '../../../platform/ui/calls/calls.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { changeCachedPages, useReadPages } from '../../../platform/ui/calls/pages.ts';
import { cancelTest, getTest, listRecordings, recordingsChanged } from '../client.ts';

/** While one runs its size is asked for this often; a person sees it grow. */
const RUNNING_MS = 5_000;
/** A test stands still for the eye for no longer than this. */
const TEST_MS = 1_000;

export type Listed = OutputOf<typeof listRecordings>;
export type OwnRecording = Listed['recordings'][number];

/** Keeps what runs and the space as the events say them, and asks for the list again. */
function useRecordingEvents(lobby: Connection | null): void {
  const cache = useCache();
  useEvent(lobby, recordingsChanged, ({ running, space }) => {
    const change = (listed: Listed): Listed => ({ ...listed, running: running?.id ?? null, space });
    changeCached(cache, listRecordings, {}, change);
    changeCachedPages(cache, listRecordings, {}, (pages) => pages.map(change));
    void cache.invalidateQueries({ queryKey: queryKeyOf(listRecordings) });
  });
}

/** The newest recordings, the space and what runs; kept current while mounted. */
export function useRecordings(lobby: Connection | null) {
  useRecordingEvents(lobby);
  return useRead(listRecordings, {}, { everyMs: RUNNING_MS });
}

/** All recordings, page by page, newest first; kept current while mounted. */
export function useRecordingPages(lobby: Connection | null) {
  useRecordingEvents(lobby);
  return useReadPages(listRecordings, {}, { everyMs: RUNNING_MS });
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
