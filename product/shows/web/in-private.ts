import { liveState } from '#platform/ui/calls/live-state.ts';

/** Whether whoever is on the page is one of the two of a private show that runs. */
export const IN_PRIVATE = liveState<boolean>('shows.inPrivate', false);
