import type { AnyCall } from '../../contract/call.ts';

/** A body holds a card number. The error says nothing more, and nothing of the body is stored. */
export class CardNumberFound extends Error {
  constructor() {
    super('a body holds a card number');
    this.name = 'CardNumberFound';
  }
}

/**
 * Whether what a call takes is searched for card numbers. Session descriptions and ICE candidates are full of
 * random numbers of that length, one in ten valid, and are never stored; what a payment processor signs must
 * be read as it came.
 */
export const keepsCardsOut = ({ credential, media }: AnyCall): boolean =>
  credential !== 'signature' && !(media?.accepts.includes('sdp') ?? false);
