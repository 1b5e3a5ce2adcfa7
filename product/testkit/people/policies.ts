import type { InputOf } from '#platform/contract/call.ts';
import { approvePolicy, proposePolicy } from '#product/compliance/contract/policies.ts';
import type { TestSite } from '../site.ts';

export type Proposal = InputOf<typeof proposePolicy>;

/** A policy for Norway as an admin may propose it; its first day is that of the virtual clock. */
export const proposal = (change: Partial<Proposal> = {}): Proposal => ({
  region: 'NO',
  from: '2026-01-15',
  until: null,
  rule: 'verify',
  minimum_age: 18,
  methods: ['digital_id'],
  liveness: 'passive',
  proof_lasts: 30,
  anonymous: false,
  vpn_class: 'as_place',
  time_zone: null,
  texts: {},
  source: 'A law that a test has made up',
  note: '',
  is_confirmed: true,
  ...change,
});

/** Two admins agree on a policy; its id. */
export async function agreesOn(site: TestSite, change: Partial<Proposal>): Promise<number> {
  const [first, second] = [await site.admin(), await site.admin()];
  const { id } = await first.call(proposePolicy, proposal(change));
  if (id === null) throw new Error('a proposal has no id');
  await second.call(approvePolicy, { id, reason: 'read with counsel' });
  return id;
}
