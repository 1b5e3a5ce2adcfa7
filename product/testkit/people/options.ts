import type { GenderCode, RoleName } from '#product/accounts/rules.ts';
import type { VisitorOptions } from '../visitor.ts';

export interface ViewerOptions extends VisitorOptions {
  /** Tokens bought before the start. */
  readonly tokens?: number;
  readonly username?: string;
  readonly roles?: readonly RoleName[];
  /** Whether the browser has passed the entry gate; true by default. */
  readonly ofAge?: boolean;
}

export interface PerformerOptions extends ViewerOptions {
  /** Whether they are live, with media arriving. */
  readonly live?: boolean;
  /** Whether compliance has cleared them; true by default. */
  readonly cleared?: boolean;
  /** Female by default. */
  readonly gender?: GenderCode;
}

export interface ModerationOptions {
  /** The room, by its performer. */
  readonly room?: { readonly username: string };
  /** How long it lasts; permanent when absent. */
  readonly minutes?: number;
  readonly reason?: string;
}
