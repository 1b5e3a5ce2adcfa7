/** One account at CCBill. Secrets come from the operator's settings and are never logged. */
export interface CcbillSettings {
  /** Origin (and path) of the REST API: `https://api.ccbill.com`. */
  readonly api: string;
  /** Origin of the reports: `https://datalink.ccbill.com`. */
  readonly datalink: string;
  /** The API's address for browsers; it differs from `api` only with simulators. */
  readonly pages: string;
  /** 900000–999999. */
  readonly account: number;
  /** 0–9999. */
  readonly subaccount: number;
  /** The application that may charge; its bearer never leaves the server. */
  readonly application: Application;
  /** The application that may only make payment tokens: its bearer token goes to browsers. */
  readonly widget: Application;
  readonly form: { readonly id: string; readonly salt: string };
  readonly report: Application;
  /** Seconds between two reports: CCBill answers one an hour; a simulator any number. */
  readonly reportSeconds: number;
  /** Networks that webhooks come from, because they are not signed. */
  readonly networks: readonly string[];
  readonly descriptor: string;
}

interface Application {
  readonly id: string;
  readonly secret: string;
}

/** The networks that CCBill documents for its webhooks. */
export const CCBILL_NETWORKS = [
  '64.38.212.0/24',
  '64.38.215.0/24',
  '64.38.240.0/24',
  '64.38.241.0/24',
] as const;

/** Formats `3` as `0003`. */
export const subaccountText = (subaccount: number): string => String(subaccount).padStart(4, '0');
