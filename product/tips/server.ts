import type { Slice } from '../../platform/contract/bind.ts';
import { tipping } from '../room-moderation/server.ts';
import { viewerStanding } from '../rooms/contract.ts';
import { counted } from './server/sending/counting.ts';
import { deskAnswers } from './server/desk.ts';
import { Effects } from './server/overlay/effects.ts';
import { Goals } from './server/goals.ts';
import { historyAnswers } from './server/sending/histories.ts';
import { menuAnswers } from './server/menu.ts';
import type { TipsNeeds } from './server/needs.ts';
import { overlayAnswers, overlaySockets, type OverlaySockets } from './server/overlay/overlay.ts';
import { sendingAnswers } from './server/sending/sending.ts';
import { Splits } from './server/sending/splits.ts';
import { hasTipped, sumRecent } from './store.ts';

export interface TipsService {
  /** Sockets of overlays, for the gateway. */
  readonly overlays: OverlaySockets;
}
export type TipsSlice = Slice<TipsService>;

/** Tips: exact, never lost, never doubled, seen by everyone in the room. */
export function tipsSlice(needs: TipsNeeds): TipsSlice {
  const { data, slots } = needs;
  slots.fill(viewerStanding, {
    recentTips: (scope, personIds, performerId) =>
      data.tx(scope, (tx) => sumRecent(tx, personIds, performerId)),
  });
  slots.fill(tipping, { hasTipped });
  const effects = new Effects(needs);
  const goals = new Goals(needs, effects);
  const splits = new Splits(needs, effects);
  return {
    name: 'tips',
    service: { overlays: overlaySockets(needs) },
    answers: [
      ...sendingAnswers(needs), ...menuAnswers(needs), ...goals.answers(), ...splits.answers(),
      ...effects.answers(), ...overlayAnswers(needs), ...historyAnswers(needs), ...deskAnswers(needs, splits),
    ],
    hearings: [counted(needs, goals, effects), ...effects.hearings(), ...splits.hearings()],
    listenings: effects.listenings(),
    due: [...effects.due(), ...splits.due()],
  };
}
