/**
 * What a browser stores of how its person leaves in a hurry. It stays in the browser: nobody else need know.
 */
export const EXIT_KEY = 'exitKey';
/** The page that comes in place of this one. */
export const EXIT_TO = 'exitTo';
/** Set while tabs name nothing of the site. */
export const DISCREET = 'discreet';
/** Events of the window: leave now; what is stored has changed. */
export const LEAVE = 'quickexit';

/** Twice Escape, or once a key that nobody types with; the last one turns it off. */
export const EXIT_KEYS = ['Escape', 'F2', 'F9', 'Pause', 'none'] as const;
/** A path of the site, or a page elsewhere. */
export const EXIT_ADDRESS = /^(?:https:\/\/[^\s\\]+|\/(?![/\\])[^\s\\]*)$/u;

/** Leaves the page at once. */
export const leaveNow = (): void => void window.dispatchEvent(new Event(LEAVE));
