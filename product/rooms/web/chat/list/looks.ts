import type { ChatMessageView } from '../../../contract.ts';
import type { FontWeight, MessageBackground, MessageColor } from '../../../rules/message-style.ts';

/**
 * Classes for the names in a message's style. Text has a contrast of at least 4.5 in both themes. On these
 * backgrounds only the page's text colour reaches that, so no other colour is used there.
 */
const BACKGROUNDS: Readonly<Record<MessageBackground, string>> = {
  'pink-5': 'border-l-2 border-pink/60 bg-pink/5',
  'pink-10': 'border-l-2 border-pink bg-pink/10',
  'pink-15': 'border-l-4 border-pink bg-pink/15',
  'pink-20': 'border-l-4 border-pink bg-pink/20',
  'pink-25': 'border-l-4 border-pink bg-pink/25 ring-1 ring-inset ring-pink',
};
const COLORS: Readonly<Record<MessageColor, string>> = {
  pink: 'text-accent',
  amber: 'text-warning-text',
  green: 'text-success-text',
  blue: 'text-link',
  muted: 'text-muted',
};
const WEIGHTS: Readonly<Record<FontWeight, string>> = { medium: 'font-medium', bold: 'font-bold' };

/** The line of a message. @param calls it mentions or replies to the reader */
export function lineLook(
  { type, background, fontStyle, color, weight }: ChatMessageView,
  calls: boolean,
): string {
  const plain = calls ? 'border-l-2 border-blue bg-blue/10' : 'hover:bg-raised/60';
  return [
    background === null ? (type === 'message' ? plain : '') : BACKGROUNDS[background],
    fontStyle === null ? '' : 'italic',
    weight === null ? '' : WEIGHTS[weight],
    // Only a notice has no name that could be coloured.
    type === 'notice' && color !== null ? COLORS[color] : '',
  ].join(' ');
}

/** The time and the translation beside a message. */
export const quietLook = (
  { background }: ChatMessageView,
): string => (background === null ? 'text-muted' : '');

/** The sender's name. */
export const nameLook = (
  message: ChatMessageView,
): string => (message.color === null ? quietLook(message) : COLORS[message.color]);

/** Somebody else's name in the text. */
export const mentionLook = (
  { background }: ChatMessageView,
): string => (background === null ? 'text-link' : 'underline');
