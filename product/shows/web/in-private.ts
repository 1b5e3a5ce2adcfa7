import { liveState } from '#platform/ui/calls/live-state.ts';

/** Whether the person using this page is the viewer or performer of a running private show. */
export const IN_PRIVATE = liveState<boolean>('shows.inPrivate', false);
