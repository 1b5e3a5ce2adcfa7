import { useCallback, useEffect, useMemo, useState } from 'react';
import { problemOf, useCall } from '../../../../platform/ui/calls/calls.ts';
import { pushUnknown, reportPush } from '../../client.ts';
import { isReportDue } from '../../rules/push.ts';
import { isPushPossible, PLAYER_ID, PushWrapper } from './wrapper.ts';

/** When this browser last reported its registration, in ms since 1970. */
const REPORTED_AT = 'pushReportedAt';

/** The wrapper of this page; the SDK is its own chunk, loaded by the first call. */
function usePush(): PushWrapper {
  const call = useCall();
  return useMemo(() => new PushWrapper(async () => (await import('./sdk.ts')).loadSdk(call)), [call]);
}

/** Reports the registration of this browser, at most once an hour. */
export function usePushReport(): void {
  const call = useCall();
  const push = usePush();
  useEffect(() => {
    // Most people have no registration: they load no SDK.
    if (localStorage.getItem(PLAYER_ID) === null) return;
    const stored = localStorage.getItem(REPORTED_AT);
    if (!isReportDue(stored === null ? null : Number(stored), Date.now())) return;
    void push.call(async (sdk) => {
      const id = await sdk.current();
      if (id === null) return;
      localStorage.setItem(REPORTED_AT, String(Date.now()));
      await call(reportPush, { player_id: id }).catch((error: unknown) => {
        // Ended on the server, or another person's now: the switch of the settings shows it as off. Any other
        // failure says nothing of it.
        if (problemOf(error).errorType === pushUnknown.code) localStorage.removeItem(PLAYER_ID);
      });
    }).catch(() => undefined);
  }, [call, push]);
}

/** `unloaded`: the browser has push, and what asks it did not load. */
type State = 'unknown' | 'off' | 'on' | 'unsupported' | 'unloaded';

/** Push of this browser: whether it is on, and how it is turned on and off. */
export function usePushSwitch() {
  const push = usePush();
  const [state, setState] = useState<State>('unknown');
  /** Why the last change was none. */
  const [hindrance, setHindrance] = useState<'denied' | 'failed' | null>(null);
  const [busy, setBusy] = useState(false);
  const look = useCallback(async () => {
    const id = await push.call((sdk) => sdk.current()).catch(() => undefined);
    if (id !== undefined) setState(id === null ? 'off' : 'on');
    else setState(isPushPossible() ? 'unloaded' : 'unsupported');
  }, [push]);
  useEffect(() => void look(), [look]);
  const act = useCallback(async (run: () => Promise<void>) => {
    setBusy(true);
    setHindrance(null);
    await run().catch(() => setHindrance('failed'));
    setBusy(false);
  }, []);
  const again = useCallback(() => act(look), [act, look]);
  const change = useCallback((isOn: boolean) => act(async () => {
    // What did not load resolves empty.
    const done = await push.call((sdk) => (isOn ? sdk.register() : sdk.end().then(() => 'ended')));
    if (done === undefined) setHindrance('failed');
    else if (done === null) setHindrance('denied');
    else setState(isOn ? 'on' : 'off');
  }), [act, push]);
  return { state, hindrance, busy, change, again };
}
