import { useAction, type Action } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useCallback } from 'react';
import { logout, switchAccount } from '../client.ts';

/** Whether this page is logging out, and whether its lobby reported meanwhile that the session has ended. */
export const LOG_OUT = liveState<'none' | 'asked' | 'ended'>('accounts.logOut', 'none');

/** Switches to a linked account, and loads its home page, because everything on this page was the other's. */
export function useSwitch(): Action<typeof switchAccount> {
  const action = useAction(switchAccount);
  const store = useLiveStore();
  const { run } = action;
  return {
    ...action,
    run: useCallback(async (input) => {
      store.change(LOG_OUT, () => 'asked');
      const done = await run(input);
      if (done) location.assign('/');
      else if (store.read(LOG_OUT) === 'ended') location.reload();
      else store.change(LOG_OUT, () => 'none');
      return done;
    }, [run, store]),
  };
}

/** Logs out, then reloads the page, or goes to the response's co-registration domain (spec 1 §7). */
export function useLogout(): { readonly run: () => void; readonly busy: boolean } {
  const { run, busy } = useAction(logout);
  const store = useLiveStore();
  return {
    busy,
    run: useCallback(() => {
      store.change(LOG_OUT, () => 'asked');
      void run({}).then((done) => {
        if (done?.redirect) location.assign(done.redirect);
        else if (done || store.read(LOG_OUT) === 'ended') location.reload();
        else store.change(LOG_OUT, () => 'none');
      });
    }, [run, store]),
  };
}
