import { useCallback, useEffect, useMemo, useState } from 'react';
import { useCall } from '../../../../platform/ui/calls/calls.ts';
import { reportPush } from '../../client.ts';
import { isReportDue } from '../../rules/push.ts';
import { PLAYER_ID, PushWrapper } from './wrapper.ts';

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
      // Ended on the server, or another person's now: the switch of the settings shows it as off.
      await call(reportPush, { player_id: id }).catch(() => localStorage.removeItem(PLAYER_ID));
    }).catch(() => undefined);
  }, [call, push]);
}

type State = 'unknown' | 'off' | 'on' | 'unsupported' | 'denied' | 'failed';

/** Push of this browser: whether it is on, and how it is turned on and off. */
export function usePushSwitch() {
  const push = usePush();
  const [state, setState] = useState<State>('unknown');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    void push.call((sdk) => sdk.current())
      .then((id) => setState(id === undefined ? 'unsupported' : id === null ? 'off' : 'on'))
      .catch(() => setState('failed'));
  }, [push]);
  const change = useCallback(async (isOn: boolean) => {
    setBusy(true);
    try {
      if (isOn) {
        const id = await push.call((sdk) => sdk.register());
        setState(id === undefined ? 'unsupported' : id === null ? 'denied' : 'on');
      } else {
        await push.call((sdk) => sdk.end());
        setState('off');
      }
    } catch {
      setState('failed');
    }
    setBusy(false);
  }, [push]);
  return { state, busy, change };
}
