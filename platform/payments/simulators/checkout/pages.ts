import type { Money } from '#platform/contract/payment.ts';
import { decimalOf } from '#platform/text/money.ts';
import { FAULTS } from '../faults.ts';
import { TEST_CARDS } from './test-cards.ts';
import type { Checkout, Payment } from './till.ts';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0 auto; max-width: 44rem; padding: 16px; }
  .banner { background: #F5B83D; color: #17131D; padding: 8px 16px; border-radius: 6px; font-weight: 700; }
  label { display: block; margin-top: 12px; }
  input, select { font: inherit; width: 100%; box-sizing: border-box; min-height: 44px; padding: 4px 12px; }
  button { font: inherit; min-height: 44px; padding: 4px 16px; margin: 8px 8px 0 0; cursor: pointer; }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
  th, td { text-align: start; padding: 4px 8px; border-bottom: 1px solid #8886; white-space: nowrap; }
  .error { color: #F0475B; font-weight: 700; }
  .scroll { overflow-x: auto; }
  :focus-visible { outline: 2px solid #05B0FA; outline-offset: 2px; }
`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\'': '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

const priceText = (amount: Money): string => `${decimalOf(amount)} ${amount.currency}`;

/** A page of the simulators. `inside` is HTML with escaped values. */
export function page(title: string, inside: string, status = 200): Response {
  const html = '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    + '<meta name="viewport" content="width=device-width,initial-scale=1">'
    + `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`
    + '<header class="banner">Test payment page: no money moves</header>'
    + `<main><h1>${escaped(title)}</h1>${inside}</main></body></html>`;
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': 'default-src \'none\'; style-src \'unsafe-inline\'',
    },
  });
}

function summary({ title, amount, renewal }: Checkout): string {
  const again = renewal
    ? `, and ${priceText(renewal.amount)} every ${renewal.days} days until cancelled`
    : '';
  return `<p>${escaped(title)}: <strong>${escaped(priceText(amount))}</strong>${escaped(again)}</p>`;
}

const cardRows = (): string =>
  TEST_CARDS.map((card) =>
    `<tr><td>${card.number}</td><td>${card.brand}</td><td>${escaped(card.label)}</td></tr>`
  ).join('');

/** A wide table that scrolls by itself, also by keyboard. */
const scrolling = (label: string, heads: readonly string[], rows: string): string =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>`
  + `${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>`
  + `<tbody>${rows}</tbody></table></div>`;

const cardTable = (): string =>
  scrolling('Test cards', ['Number', 'Brand', 'What it does'], cardRows())
  + '<p>Any date to come and any security code go with them.</p>';

/** The table of test cards, linked from every payment page. */
export const cardsPage = (): Response => page('Test cards', cardTable());

/** The card form. `action` is its target; `error` is shown above it. */
export function cardPage(
  company: string,
  checkout: Checkout,
  action: string,
  error: string | null,
): Response {
  return page(
    `Pay with ${company}`,
    `${summary(checkout)}
    ${error ? `<p class="error" role="alert">${escaped(error)}</p>` : ''}
    <form method="post" action="${escaped(action)}" autocomplete="off">
      <label>Card number <input name="number" inputmode="numeric" required maxlength="23" autofocus></label>
      <label>Expires (MM/YY)
        <input name="expiry" required pattern="(0[1-9]|1[0-2])/[0-9]{2}" maxlength="5"></label>
      <label>Security code
        <input name="cvv" inputmode="numeric" required pattern="[0-9]{3,4}" maxlength="4"></label>
      <button type="submit" name="action" value="pay">Pay ${escaped(priceText(checkout.amount))}</button>
      <button type="submit" name="action" value="leave" formnovalidate>Back without paying</button>
    </form>
    <details><summary>Test cards</summary>${cardTable()}</details>`,
  );
}

/** The page on which a test payer chooses what happens next: for PayPal, crypto and codes paid at a till. */
export function choicePage(
  company: string,
  checkout: Checkout,
  action: string,
  choices: readonly (readonly [value: string, label: string])[],
  note: string,
): Response {
  const buttons = choices.map(([value, label]) =>
    `<button type="submit" name="action" value="${escaped(value)}">${escaped(label)}</button>`
  ).join('');
  return page(
    `Pay with ${company}`,
    `${summary(checkout)}<p>${escaped(note)}</p>
    <form method="post" action="${escaped(action)}">${buttons}</form>`,
  );
}

const button = (value: string, label: string): string =>
  `<button type="submit" name="action" value="${value}">${label}</button>`;

/** The actions on a payment that its state allows. */
function pressable(payment: Payment): string {
  const isSale = payment.kind === 'sale' || payment.kind === 'renewal';
  if (!isSale || payment.state !== 'approved') return '';
  const renewing = payment.kind === 'sale' && payment.subscription !== null;
  return `${button('refund', 'Refund')}${button('chargeback', 'Charge back')}`
    + (renewing ? `${button('renew', 'Renew now')}${button('cancel', 'Cancel renewal')}` : '');
}

/** The page of the biller's own staff: the newest payments, and the actions on each. */
export function operatorPage(company: string, payments: readonly Payment[], action: string): Response {
  const rows = payments.map((payment) =>
    `<tr>
    <td>${escaped(payment.reference)}</td><td>${escaped(payment.orderId)}</td><td>${payment.kind}</td>
    <td>${payment.state}${payment.decline ? ` (${payment.decline})` : ''}</td>
    <td>${escaped(priceText(payment.amount))}</td><td>${payment.at.toISOString()}</td>
    <td>${payment.card ? `${payment.card.brand} ${payment.card.last4}` : ''}</td>
    <td><form method="post" action="${escaped(action)}">
      <input type="hidden" name="reference" value="${escaped(payment.reference)}">${pressable(payment)}
    </form></td></tr>`
  ).join('');
  const faults = FAULTS.map((fault) => `<option>${fault}</option>`).join('');
  const heads = ['Number', 'Order', 'What', 'State', 'Amount', 'When', 'Card', 'Do'];
  return page(
    `${company}: payments`,
    `${scrolling('Payments', heads, rows)}
    <h2>Let something go wrong</h2>
    <form method="post" action="${escaped(action)}">
      <label>Fault, for the next payment <select name="fault">${faults}</select></label>
      ${button('arm', 'Arm')}
    </form>`,
  );
}
