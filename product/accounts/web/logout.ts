import { useCallback } from 'react';
import { useAction } from '../../../platform/ui/calls/calls.ts';
import { logout } from '../client.ts';

/**
 * Logs out, then reloads the page, or goes to the co-registration domain when the response has one (spec 1
 * §7).
 */
export function useLogout(): { readonly run: () => void; readonly busy: boolean } {
  const { run, busy } = useAction(logout);
  return {
    busy,
    run: useCallback(() => {
      void run({}).then((done) => {
        if (done?.redirect) location.assign(done.redirect);
        else if (done) location.reload();
      });
    }, [run]),
  };
}
