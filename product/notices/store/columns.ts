import type { Json } from '#platform/data/columns.ts';
import type { Channel } from '../rules.ts';

export type DeliveryChannel = 'email' | 'push' | 'sms';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'notices.deliveries.channel': DeliveryChannel;
  'notices.deliveries.state': 'waiting' | 'sending' | 'failed';
  'notices.notices.values': Json<Record<string, string | number>>;
  'notices.outbox.channel': 'email' | 'sms';
  'notices.preferences.channel': Channel;
}
