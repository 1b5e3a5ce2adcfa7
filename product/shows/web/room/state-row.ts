/** Classes of one thing in the bar of actions that waits, runs or is over. */
export const STATE_ROW = 'relative flex shrink-0 flex-col gap-2 border-b border-line bg-surface px-4 py-2 '
  + 'empty:hidden max-lg:px-3';

/** Figures of a row; while somebody types on a phone they are closer, and tokens go without their value. */
export const STATE_FIGURES = 'flex flex-wrap gap-x-6 gap-y-1 max-sm:gap-x-4 '
  + 'max-lg:group-data-keyboard:gap-x-3 max-lg:group-data-keyboard:[&_dd_.text-muted]:hidden';

/** Buttons of a row, its end last: that alone stays beside the figures while somebody types on a phone. */
export const STATE_BUTTONS = 'flex grow flex-wrap justify-end gap-3 max-sm:*:grow '
  + 'max-lg:group-data-keyboard:[&>:not(:last-child)]:hidden';
