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
  route('login', `${accounts}/login-page.tsx`),
  route('register', `${accounts}/register-page.tsx`),
  route('confirm-email', `${accounts}/confirm-email-page.tsx`),
  route('models/signup', `${accounts}/models-signup-page.tsx`),
  route('account/settings', `${accounts}/settings-page.tsx`),
  route('account/tokens', 'buy/tokens-page.tsx'),
  route('account/receipts/:id', `${billing}/account/receipt-page.tsx`),
  route('account/card', `${billing}/card/card-page.tsx`),
  route('account/verify', `${billing}/card/verify-page.tsx`, { id: 'account-verify' }),
  route('verify', `${billing}/card/verify-page.tsx`, { id: 'fling-verify' }),
  route('enter.php', `${billing}/enter-page.tsx`),
  route('join', `${billing}/promos/join-page.tsx`),
  route('account/recordings', `${recordings}/recordings-page.tsx`),
  route('account/streaming', 'streaming-page.tsx'),
  route('account/tips', `${tips}/history/tips-page.tsx`),
  route('account/tokens/history', `${ledger}/history-page.tsx`),
  route('account/tokens/statement/:month', `${ledger}/statement-page.tsx`),
  route('admin', 'desk/desk-frame.tsx', [
    route('clearances', `${compliance}/clearances-page.tsx`),
    route('ledger', 'ledger-page.tsx'),
    route('payments', `${billing}/desk/payments-page.tsx`),
    route('products', `${billing}/desk/operator-page.tsx`),
    route('outbox', 'outbox-page.tsx'),
    route('blocked-words', `${moderation}/site-words-page.tsx`),
  ]),
  route('go-live', 'go-live-page.tsx'),
  route('overlay/:token', `${tips}/overlay/overlay-page.tsx`),
  route(':username', 'room-page.tsx'),
  route('*', 'not-found.tsx'),
] satisfies RouteConfig;
