/** What the site does by itself when the time of a case runs out. */
import { HOUR_MS } from '#platform/time/units.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { NoticeKind } from '#product/notices/rules.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { OnStep } from './cases.ts';

/** For admins: a case waits, and its time limit comes closer. */
export const ESCALATED: NoticeKind = {
  name: 'moderation:notices.escalated',
  channels: ['app', 'email', 'push'],
  usual: ['app', 'email', 'push'],
  required: ['app', 'email'],
};

export interface StepDependencies {
  readonly accounts: AccountsService;
  readonly notices: NoticesService;
}

export const stepper =
  ({ accounts, notices }: StepDependencies): OnStep => async (tx, caseId, kind, { state }) => {
    if (kind !== 'escalate') return;
    await notices.notifyMany(tx, {
      personIds: await accounts.adminIds(tx),
      kind: ESCALATED.name,
      values: { id: caseId, hours: hoursUntil(state.dueAt, tx.now) },
      link: '/admin/reports',
    });
  };

const hoursUntil = (until: Date | null, now: Date): number =>
  until === null ? 0 : Math.max(0, Math.round((until.getTime() - now.getTime()) / HOUR_MS));
