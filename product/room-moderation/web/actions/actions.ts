import {
  Ban, DoorOpen, MicOff, Mic, ShieldMinus, ShieldPlus, Undo2, type LucideIcon,
} from 'lucide-react';
import type { ModerationAction } from '../../rules.ts';

export const ACTION_ICONS: Readonly<Record<ModerationAction, LucideIcon>> = {
  ban: Ban, unban: Undo2, kick: DoorOpen, silence: MicOff, unsilence: Mic, moderator: ShieldPlus,
  unmoderator: ShieldMinus,
};

/** What takes an action back; a kick is over by itself. */
export const UNDONE_BY: Readonly<Partial<Record<ModerationAction, ModerationAction>>> = {
  ban: 'unban', silence: 'unsilence', moderator: 'unmoderator', unmoderator: 'moderator',
};

/** Actions that put somebody out, or make them quiet: they are asked about first. */
export const ASKED: ReadonlySet<ModerationAction> = new Set<ModerationAction>(['ban', 'kick', 'silence']);

/** Lengths offered for bans and silences, in minutes; null lasts. */
export const LENGTHS = [10, 60, 1_440, null] as const;
