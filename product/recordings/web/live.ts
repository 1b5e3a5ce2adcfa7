import type { OutputOf } from '#platform/contract/call.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useAction, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { changeCachedPages, useReadPages } from '#platform/ui/calls/pages.ts';
import { cancelTest, getTest, listRecordings, recordingsChanged } from '../client.ts';

/** Reload interval while a recording runs, so that its size grows visibly. */
const RUNNING_MS = 5_000;
/** Reload interval while a test runs. */
const TEST_MS = 1_000;

export type Listed = OutputOf<typeof listRecordings>;
export type OwnRecording = Listed['recordings'][number];

/** Applies events to the cached list, and reloads it. */
function useRecordingEvents(lobby: Connection | null): void {
  const cache = useCache();
  useEvent(lobby, recordingsChanged, ({ running, space }) => {
    const change = (listed: Listed): Listed => ({ ...listed, running: running?.id ?? null, space });
    changeCached(cache, listRecordings, {}, change);
    changeCachedPages(cache, listRecordings, {}, (pages) => pages.map(change));
    void cache.invalidateQueries({ queryKey: queryKeyOf(listRecordings) });
  });
}

/** The newest recordings, the space and the running recording; updated while mounted. */
export function useRecordings(lobby: Connection | null) {
  useRecordingEvents(lobby);
  return useRead(listRecordings, {}, { everyMs: RUNNING_MS });
}

/** All recordings, page by page, newest first; updated while mounted. */
export function useRecordingPages(lobby: Connection | null) {
  useRecordingEvents(lobby);
  return useReadPages(listRecordings, {}, { everyMs: RUNNING_MS });
}

/** Reloads the list after a change on this page. */
export function useReloadRecordings(): () => Promise<void> {
  const cache = useCache();
  return () => cache.invalidateQueries({ queryKey: queryKeyOf(listRecordings) });
}

export type TestView = OutputOf<typeof getTest>;

/** State of the pre-show test; reloaded every second while it runs. */
export function useTest() {
  const cache = useCache();
  const known = cache.getQueryData<TestView>(queryKeyOf(getTest, {}));
  const isActive = known?.state === 'waiting' || known?.state === 'recording' || known?.isSending === true;
  const read = useRead(getTest, {}, isActive ? { everyMs: TEST_MS } : {});
  const reload = (): Promise<void> => cache.invalidateQueries({ queryKey: queryKeyOf(getTest) });
  return { test: read.data ?? null, reload };
}

/** Cancels the test and reloads its state; resolves to whether it succeeded. */
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
