/** The person's settings for leaving in a hurry. The browser alone stores them: nobody else needs to know. */
export const EXIT_KEY = 'exitKey';
/** Address of the page that replaces this one. */
export const EXIT_TO = 'exitTo';
/** Set while tabs name nothing of the site. */
export const DISCREET = 'discreet';
/** Window events: leave now; the settings have changed. */
export const LEAVE = 'quickexit';

/** The key that leaves: Escape pressed twice, or a key that nobody types with, once. `none` turns it off. */
export const EXIT_KEYS = ['Escape', 'F2', 'F9', 'Pause', 'none'] as const;
/** A path of the site, or a page elsewhere. */
export const EXIT_ADDRESS = /^(?:https:\/\/[^\s\\]+|\/(?![/\\])[^\s\\]*)$/u;

/** Leaves the page at once. */
export const leaveNow = (): void => void window.dispatchEvent(new Event(LEAVE));
