/** What the site does by itself when the time of a case runs out. */
import { HOUR_MS } from '#platform/time/units.ts';
import type { NoticeKind } from '#product/notices/rules.ts';
import type { Steps } from './cases.ts';
import { undo, type DecisionDependencies } from './decisions.ts';
import { removeContent } from './removals.ts';

/** For admins: the site has hidden or restored content by itself. */
const ACTED: NoticeKind = {
  name: 'moderation:notices.acted',
  channels: ['app', 'email'],
  usual: ['app'],
  required: ['app'],
};
/** For whoever a decision restricts; its email is always sent. */
const DECIDED: NoticeKind = {
  name: 'moderation:notices.decided',
  channels: ['app'],
  usual: ['app'],
  required: ['app'],
};
/** For them: the decision is reversed. */
const REVERSED: NoticeKind = {
  name: 'moderation:notices.reversed',
  channels: ['app', 'email'],
  usual: ['app', 'email'],
  required: ['app'],
};
/** For admins: a case waits, and its time limit comes closer. */
const ESCALATED: NoticeKind = {
  name: 'moderation:notices.escalated',
  channels: ['app', 'email', 'push'],
  usual: ['app', 'email', 'push'],
  required: ['app', 'email'],
};

export const NOTICE_KINDS: readonly NoticeKind[] = [ESCALATED, ACTED, DECIDED, REVERSED];

export const stepper = (deps: DecisionDependencies): Steps => ({
  hide: (tx, caseId) => removeContent(deps, tx, caseId),
  onStep: async (tx, caseId, kind, { row, state }) => {
    if (kind === 'reverse') await undo(deps, tx, row, null);
    const hasActed = kind === 'hide' || kind === 'reverse';
    await deps.notices.notifyMany(tx, {
      personIds: await deps.accounts.adminIds(tx),
      kind: hasActed ? ACTED.name : ESCALATED.name,
      values: { id: caseId, hours: hoursUntil(state.dueAt, tx.now) },
      link: `/admin/cases?case=${caseId}`,
    });
  },
});

const hoursUntil = (until: Date | null, now: Date): number =>
  until === null ? 0 : Math.max(0, Math.round((until.getTime() - now.getTime()) / HOUR_MS));
