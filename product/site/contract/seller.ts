import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { MAX_ADDRESS_LENGTH, MAX_COMPANY_LENGTH, MAX_REASON_LENGTH, MIN_REASON_LENGTH } from '../rules.ts';

/** The reason for a change, for the audit log. */
export const Reason = z.string().trim().min(MIN_REASON_LENGTH).max(MAX_REASON_LENGTH);

/** Who sells on the sites of an operator, as admins see and change it. */
const Seller = z.object({
  /** The company's registered name; the operator's own name until one is given. */
  name: z.string(),
  /** Its postal address, line by line; empty for none. */
  address: z.string(),
});

export const getSeller = call({
  name: 'site.getSeller',
  method: 'GET',
  path: '/admin/seller',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: Seller,
  refusals: [],
  summary: 'Who sells',
  description: 'The company that receipts name as the seller, as it is now.',
});
export const changeSeller = call({
  name: 'site.changeSeller',
  method: 'POST',
  path: '/admin/seller',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    name: z.string().trim().min(1).max(MAX_COMPANY_LENGTH),
    address: z.string().trim().max(MAX_ADDRESS_LENGTH),
    reason: Reason,
  }),
  output: Seller,
  refusals: [],
  summary: 'Change who sells',
  description: 'Applies to payments from now on; a receipt shows the seller of the day it was paid. Audited.',
});
