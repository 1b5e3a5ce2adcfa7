/** Classes of one thing in the bar of actions that waits, runs or is over. */
export const STATE_ROW = 'relative flex shrink-0 flex-col gap-2 border-b border-line bg-surface px-4 py-2 '
  + 'empty:hidden max-lg:px-3';
