/** Classes of one entry in the bar of actions that is pending, running or over. */
export const STATE_ROW = 'relative flex shrink-0 flex-col gap-2 border-b border-line bg-surface px-4 py-2 '
  + 'empty:hidden max-lg:px-3';

/** Figures of a row; while a phone's keyboard is open they are closer, and tokens have no value in money. */
export const STATE_FIGURES = 'flex flex-wrap gap-x-6 gap-y-1 max-sm:gap-x-4 '
  + 'max-lg:group-data-keyboard:gap-x-3 max-lg:group-data-keyboard:[&_dd_.text-muted]:hidden';

/** Buttons of a row, the one that ends it last: only that one stays while the keyboard of a phone is open. */
export const STATE_BUTTONS = 'flex grow flex-wrap justify-end gap-3 max-sm:*:grow '
  + 'max-lg:group-data-keyboard:[&>:not(:last-child)]:hidden';
