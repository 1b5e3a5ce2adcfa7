import type { CallFunction } from '#platform/contract/client.ts';
import { problemOf, useCall } from '#platform/ui/calls/calls.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { endPush, pushUnknown, reportPush } from '../../client.ts';
import type { PageProviderView } from '../../contract/push-provider.ts';
import { isReportDue, reportMade } from '../../rules/push.ts';
import { providerPlayer } from './registered.ts';
import { isPushPossible, PLAYER_ID, PushWrapper } from './wrapper.ts';

/** The person of this browser's last report, and its time. */
const REPORTED_AT = 'pushReportedAt';

/** The wrapper of the site's own push; its SDK is a chunk of its own, loaded by the first call. */
function usePush(): PushWrapper {
  const call = useCall();
  return useMemo(() => new PushWrapper(async () => (await import('./sdk.ts')).loadSdk(call)), [call]);
}

/** The wrapper of the operator's push provider, loaded by the first call; without one, the site's own. */
function useProviderPush(provider: PageProviderView | null, own: PushWrapper): PushWrapper {
  const call = useCall();
  return useMemo(() => (provider === null ? own : new PushWrapper(
    async () => (await import('./provider-sdk.ts')).loadProviderSdk(call, provider),
  )), [call, own, provider]);
}

/**
 * Reports this browser's registration for the logged-in person, at most once an hour.
 * @param personId null for a guest
 */
export function usePushReport(personId: number | null): void {
  const call = useCall();
  const push = usePush();
  const clock = useServerClock();
  useEffect(() => {
    // Most people have no registration, and so load no SDK.
    if (personId === null || localStorage.getItem(PLAYER_ID) === null) return;
    const isDue = (): boolean => isReportDue(localStorage.getItem(REPORTED_AT), personId, clock.now());
    if (!isDue()) return;
    void push.call(async (sdk) => {
      const id = await sdk.current() ?? await providerPlayer();
      // Another tab may have reported meanwhile. If two report in the same instant, that does no harm.
      if (id === null || !isDue()) return;
      localStorage.setItem(REPORTED_AT, reportMade(personId, clock.now()));
      await call(reportPush, { player_id: id }).catch((error: unknown) => {
        // Ended on the server, or another person's now, so the switch shows push as off. Other errors say
        // nothing about the registration.
        if (problemOf(error).errorType === pushUnknown.code) localStorage.removeItem(PLAYER_ID);
      });
    }).catch(() => undefined);
  }, [call, clock, personId, push]);
}

/** `unloaded`: the browser supports push, but the SDK did not load. */
type State = 'unknown' | 'off' | 'on' | 'unsupported' | 'unloaded';

/**
 * Push in this browser: its state, and how to turn it on and off. Nothing from a provider loads before
 * somebody turns it on or off.
 */
export function usePushSwitch(provider: PageProviderView | null) {
  const call = useCall();
  const own = usePush();
  const push = useProviderPush(provider, own);
  const [state, setState] = useState<State>('unknown');
  /** Why the last change failed. */
  const [hindrance, setHindrance] = useState<'denied' | 'failed' | null>(null);
  const [busy, setBusy] = useState(false);
  const look = useCallback(async () => {
    const found = provider && isPushPossible() ? providerPlayer() : own.call((sdk) => sdk.current());
    const id = await found.catch(() => undefined);
    if (id !== undefined) setState(id === null ? 'off' : 'on');
    else setState(isPushPossible() ? 'unloaded' : 'unsupported');
  }, [own, provider]);
  useEffect(() => void look(), [look]);
  const act = useCallback(async (run: () => Promise<void>) => {
    setBusy(true);
    setHindrance(null);
    await run().catch(() => setHindrance('failed'));
    setBusy(false);
  }, []);
  const again = useCallback(() => act(look), [act, look]);
  const turnOn = useCallback(async () => {
    // Asked before the provider's script loads, because browsers ask only soon after a click.
    if (provider && isPushPossible() && (await Notification.requestPermission()) !== 'granted') {
      setHindrance('denied');
      return;
    }
    const id = await push.call((sdk) => sdk.register());
    // Undefined means that the SDK did not load.
    if (id === undefined) setHindrance('failed');
    else if (id === null) setHindrance('denied');
    else setState('on');
  }, [provider, push]);
  const turnOff = useCallback(async () => {
    const ended = await push.call((sdk) => sdk.end().then(() => true));
    // Ends the registration at the site even without the SDK.
    if (ended === undefined) await endRegistration(call);
    setState('off');
  }, [call, push]);
  const change = useCallback((isOn: boolean) => act(isOn ? turnOn : turnOff), [act, turnOn, turnOff]);
  return { state, hindrance, busy, change, again };
}

async function endRegistration(call: CallFunction): Promise<void> {
  const id = localStorage.getItem(PLAYER_ID);
  if (id !== null) await call(endPush, { player_id: id });
  localStorage.removeItem(PLAYER_ID);
}
