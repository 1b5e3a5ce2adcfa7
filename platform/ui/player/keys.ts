import { useEffect, useRef, type RefObject } from 'react';

/** The actions of keys while a player has the focus. */
export const PLAYER_KEYS = {
  mute: ['m'],
  fullScreen: ['f'],
  pictureInPicture: ['p', 'i'],
  pause: ['k', ' '],
  louder: ['ArrowUp'],
  quieter: ['ArrowDown'],
} as const satisfies Record<string, readonly string[]>;
export type PlayerAction = keyof typeof PLAYER_KEYS;

/** The relevant part of a key press. */
export interface Press {
  readonly key: string;
  /** With Ctrl, Alt or Meta the key belongs to the browser. */
  readonly isChord: boolean;
  /** The focused element: keys typed into a field are text, and controls have keys of their own. */
  readonly on: 'text' | 'control' | 'elsewhere';
}

/** Space presses a focused control, arrows move a focused slider. */
const KEYS_OF_CONTROLS: readonly string[] = [' ', 'ArrowUp', 'ArrowDown', 'Enter'];

/** The action of a key press in a player; null when it has none. */
export function actionOf({ key, isChord, on }: Press): PlayerAction | null {
  if (isChord || on === 'text' || (on === 'control' && KEYS_OF_CONTROLS.includes(key))) return null;
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const actions = Object.keys(PLAYER_KEYS) as PlayerAction[];
  return actions.find((action) => (PLAYER_KEYS[action] as readonly string[]).includes(wanted)) ?? null;
}

/** The keys of an action, for `aria-keyshortcuts`. */
export const shortcutsOf = (action: PlayerAction): string =>
  PLAYER_KEYS[action].map((key) => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)).join(' ');
const NAMES: Readonly<Record<string, string>> = { ' ': 'Space' };

const TEXT_FIELD = 'textarea, select, [contenteditable=""], [contenteditable="true"], [role=textbox], '
  + 'input:not([type=range], [type=checkbox], [type=radio], [type=button])';

function focusOf(target: EventTarget | null): Press['on'] {
  if (!(target instanceof Element)) return 'elsewhere';
  if (target.closest(TEXT_FIELD)) return 'text';
  return target.closest('button, a[href], input, summary') ? 'control' : 'elsewhere';
}

/**
 * Handles keys of a player only while the focus is in it: single letters anywhere on a page would be
 * triggered by speech input and by accident (WCAG 2.1.4).
 */
export function usePlayerKeys(
  frame: RefObject<HTMLElement | null>,
  actions: Readonly<Record<PlayerAction, () => void>>,
): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const element = frame.current;
    const onKeyDown = (press: KeyboardEvent): void => {
      const isChord = press.ctrlKey || press.altKey || press.metaKey;
      const action = actionOf({ key: press.key, isChord, on: focusOf(press.target) });
      if (action === null) return;
      press.preventDefault();
      latest.current[action]();
    };
    element?.addEventListener('keydown', onKeyDown);
    return () => element?.removeEventListener('keydown', onKeyDown);
  }, [frame]);
}
