import { Ban, DoorOpen, Mic, MicOff, ShieldMinus, ShieldPlus, Undo2, type LucideIcon } from 'lucide-react';
import type { ModerationAction } from '../../rules.ts';

export const ACTION_ICONS: Readonly<Record<ModerationAction, LucideIcon>> = {
  ban: Ban,
  unban: Undo2,
  kick: DoorOpen,
  silence: MicOff,
  unsilence: Mic,
  moderator: ShieldPlus,
  unmoderator: ShieldMinus,
};

/** The action that undoes another; a kick ends by itself. */
export const UNDONE_BY: Readonly<Partial<Record<ModerationAction, ModerationAction>>> = {
  ban: 'unban',
  silence: 'unsilence',
  moderator: 'unmoderator',
  unmoderator: 'moderator',
};

/** Actions that open a dialog first. */
export const NEEDS_CONFIRMATION: ReadonlySet<ModerationAction> = new Set<ModerationAction>([
  'ban',
  'kick',
  'silence',
]);

/** Durations offered for bans and silences, in minutes; null is permanent. */
export const LENGTHS = [10, 60, 1_440, null] as const;
