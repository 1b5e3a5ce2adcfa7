import { index, route, type RouteConfig } from '@react-router/dev/routes';

const browse = '../../browse/web/live-page.tsx';
const accounts = '../../accounts/web';
const billing = '../../billing/web';
const compliance = '../../compliance/web';
const recordings = '../../recordings/web';
const ledger = '../../ledger/web';
const moderation = '../../room-moderation/web';
const tips = '../../tips/web';

/** Every page of the product. Routes win over usernames: a first segment here can never be one. */
export default [
  index(browse, { id: 'home' }),
  route('girls', browse, { id: 'girls' }),
  route('couples', browse, { id: 'couples' }),
  route('men', browse, { id: 'men' }),
  route('trans', browse, { id: 'trans' }),
  route('login', `${accounts}/pages/login-page.tsx`),
  route('register', `${accounts}/pages/register-page.tsx`),
  route('free-register/connect', `${accounts}/pages/register-page.tsx`, { id: 'free-register' }),
  route('confirm-email', `${accounts}/pages/confirm-email-page.tsx`),
  route('forgot-password', `${accounts}/pages/forgot-password-page.tsx`),
  route('reset-password', `${accounts}/pages/reset-password-page.tsx`),
  route('models/signup', `${accounts}/pages/models-signup-page.tsx`),
  route('account/settings', `${accounts}/pages/settings-page.tsx`),
  route('account/tokens', 'buy/tokens-page.tsx'),
  route('account/receipts/:id', `${billing}/account/receipt-page.tsx`),
  route('account/card', `${billing}/card/card-page.tsx`),
  route('account/verify', `${billing}/card/verify-page.tsx`, { id: 'account-verify' }),
  route('verify', `${billing}/card/verify-page.tsx`, { id: 'fling-verify' }),
  route('enter.php', `${billing}/enter-page.tsx`),
  route('join', `${billing}/promos/join-page.tsx`),
  route('account/recordings', `${recordings}/recordings-page.tsx`),
  route('account/streaming', 'performer/streaming-page.tsx'),
  route('account/tips', `${tips}/history/tips-page.tsx`),
  route('account/tokens/history', `${ledger}/history/history-page.tsx`),
  route('account/tokens/statement/:month', `${ledger}/statement-page.tsx`),
  route('admin', 'admin/admin-frame.tsx', [
    route('clearances', `${compliance}/clearances-page.tsx`),
    route('ledger', 'admin/ledger-page.tsx'),
    route('payments', `${billing}/admin/payments/payments-page.tsx`),
    route('products', `${billing}/admin/offers/operator-page.tsx`),
    route('site', 'admin/site-page.tsx'),
    route('outbox', 'admin/outbox-page.tsx'),
    route('blocked-words', `${moderation}/site-words-page.tsx`),
  ]),
  route('go-live', 'performer/go-live-page.tsx'),
  route('overlay/:token', `${tips}/overlay/overlay-page.tsx`),
  route(':username', 'room/room-page.tsx'),
  route('*', 'document/not-found.tsx'),
] satisfies RouteConfig;
