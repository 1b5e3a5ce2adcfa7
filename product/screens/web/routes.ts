import { index, route, type RouteConfig } from '@react-router/dev/routes';

const browse = '../../browse/web/browse-page.tsx';
const accounts = '../../accounts/web';
const ageChecks = '../../age-checks/web';
const agreements = '../../agreements/web';
const billing = '../../billing/web';
const compliance = '../../compliance/web';
const fanclubs = '../../fanclubs/web';
const recordings = '../../recordings/web';
const ledger = '../../ledger/web';
const legal = '../../legal/web';
const notices = '../../notices/web';
const messaging = '../../messaging/web';
const moderation = '../../moderation/web';
const roomModeration = '../../room-moderation/web';
const site = '../../site/web';
const tips = '../../tips/web';

/** Addresses of listings; `listingOf` decides which deeper ones exist. */
const LISTINGS = [
  'girls/*',
  'couples/*',
  'men/*',
  'trans/*',
  'browse-role/:role',
  'browse-studio/:studio',
  'voyeur-cams/*',
  'voyeur-house',
  'reallifecam',
  'jb-cams',
  'julmodels',
  'casa-salsa',
  'independent-romanian',
  'top',
  'models',
  'followed',
  'for-you',
];

/** Pages of a performer, below their name. */
const OF_A_PERFORMER = { fanclub: 'fanclub/fanclub-page.tsx', bio: '../../browse/web/bio/bio-page.tsx' };
/** Sections with any pages below them, including paths that look like a page of a performer. */
const WITH_ALL_BELOW = ['men', 'trans'].flatMap((section) =>
  Object.keys(OF_A_PERFORMER).map((page) => `${section}/${page}`)
);

/** Every page of the product. Routes win over usernames: a first segment here can never be one. */
export default [
  index('../../browse/web/home/home-page.tsx', { id: 'home' }),
  ...[...LISTINGS, ...WITH_ALL_BELOW].map((path) => route(path, browse, { id: `listing ${path}` })),
  route('login', `${accounts}/pages/login-page.tsx`),
  route('register', `${accounts}/pages/register-page.tsx`),
  route('free-register/connect', `${accounts}/providers/connect-page.tsx`),
  route('pg-login', `${accounts}/providers/partner-login-page.tsx`),
  route('confirm-email', `${accounts}/pages/confirm-email-page.tsx`),
  route('forgot-password', `${accounts}/pages/forgot-password-page.tsx`),
  route('reset-password', `${accounts}/pages/reset-password-page.tsx`),
  route('restore-email', `${accounts}/recovery/restore-email-page.tsx`),
  route('models/signup', '../../identity/web/signup/signup-page.tsx'),
  route('account/welcome', `${accounts}/pages/welcome-page.tsx`),
  route('account/leaving', `${accounts}/deletion/leaving-page.tsx`),
  route('account/suspended', `${accounts}/pages/suspended-page.tsx`),
  route('account/settings', 'settings-page.tsx'),
  route('account/ways-in', `${accounts}/recovery/ways-in-page.tsx`),
  route('account/tokens', 'buy/tokens-page.tsx'),
  route('account/receipts/:id', `${billing}/account/receipt-page.tsx`),
  route('account/card', `${billing}/card/card-page.tsx`),
  route('account/verify', `${billing}/card/verify-page.tsx`, { id: 'account-verify' }),
  route('verify', `${billing}/card/verify-page.tsx`, { id: 'fling-verify' }),
  route('verify-age', `${ageChecks}/verify-age-page.tsx`),
  route('verify-age/card', `${ageChecks}/card/card-page.tsx`, { id: 'verify-age-card' }),
  route('enter.php', `${billing}/enter-page.tsx`),
  route('join', `${billing}/promos/join-page.tsx`),
  route('account/recordings', `${recordings}/recordings-page.tsx`),
  route('notifications', `${notices}/notifications-page.tsx`),
  route('notifications/settings', `${notices}/preferences-page.tsx`),
  route('email/subscription', `${notices}/subscription-page.tsx`),
  route('account/documents', `${agreements}/documents-page.tsx`),
  route('legal/document/:id', `${agreements}/document-page.tsx`),
  route('account/hidden', `${messaging}/hidden-page.tsx`),
  route('account/ignored', `${messaging}/ignoring/ignored-page.tsx`),
  route('account/fanclub', `${fanclubs}/own/settings-page.tsx`),
  route('account/fanclubs', `${fanclubs}/own/memberships-page.tsx`),
  route('account/listing', 'performer/listing-page.tsx'),
  route('account/shows', '../../shows/web/account/shows-page.tsx'),
  route('account/shows/recordings/:show', '../../shows/web/recordings/recording-page.tsx'),
  route('account/shows/said/:kind/:show', '../../shows/web/account/said-page.tsx'),
  route('account/streaming', 'performer/streaming-page.tsx'),
  route('account/tips', `${tips}/tips-page.tsx`),
  route('account/earnings', `${ledger}/earnings-page.tsx`),
  route('account/tokens/history', `${ledger}/history/history-page.tsx`),
  route('account/tokens/statement/:month', `${ledger}/statement-page.tsx`),
  route('admin/first-admin', `${accounts}/pages/first-admin-page.tsx`),
  route('admin', 'admin/admin-frame.tsx', [
    route('clearances', `${compliance}/clearances-page.tsx`),
    route('age-checks', `${ageChecks}/admin-checks-page.tsx`),
    route('agreements', `${agreements}/admin/agreements-page.tsx`),
    route('identity', '../../identity/web/review/queue-page.tsx', { id: 'admin-identity' }),
    route('regions', `${compliance}/regions/regions-page.tsx`),
    route('ledger', 'admin/ledger-page.tsx'),
    route('payments', `${billing}/admin/payments/payments-page.tsx`),
    route('products', `${billing}/admin/offers/operator-page.tsx`),
    route('site', 'admin/site/site-page.tsx'),
    route('people', 'admin/people-page.tsx'),
    route('support', '../../support/web/requests-page.tsx', { id: 'admin-support' }),
    route('redirects', `${site}/redirects/redirects-page.tsx`),
    route('outbox', 'admin/outbox-page.tsx'),
    route('client-errors', '../../client-logs/web/admin/client-errors-page.tsx'),
    route('blocked-words', `${roomModeration}/site-words-page.tsx`),
    route('reports', `${moderation}/reports-page.tsx`),
    route('cases', `${moderation}/cases/cases-page.tsx`),
  ]),
  route('cookies', 'public/cookies-page.tsx'),
  route('view-history', '../../browse/web/history/history-page.tsx'),
  route('tags', '../../browse/web/tags-page.tsx'),
  route('tags/:gender', '../../browse/web/tags-page.tsx', { id: 'tags-of-gender' }),
  ...['girls', 'couples', 'men', 'trans'].map((gender) =>
    route(`${gender}/feed`, '../../browse/web/feed-page.tsx', { id: `${gender}-feed` })
  ),
  route('most-liked', '../../browse/web/likes/most-liked-page.tsx'),
  route('contests', '../../browse/web/likes/contests-page.tsx'),
  ...['', '/top2000', '/30days'].map((board) =>
    route(`contests/:gender/:contest${board}`, '../../browse/web/likes/contest-page.tsx', {
      id: `contest${board.replace('/', '-')}`,
    })
  ),
  ...['games', 'esports', 'wifeaway', 'irishcurse', 'dickometrics'].map((slug) =>
    route(slug, '../../browse/web/campaigns/campaign-page.tsx', { id: slug })
  ),
  route('experiments', '../../browse/web/campaigns/experiments-page.tsx'),
  route('embed/:username', '../../browse/web/embed-page.tsx'),
  route('search', '../../browse/web/search/search-page.tsx'),
  route('multi-filter', '../../browse/web/search/multi-filter-page.tsx'),
  route('swipe', 'swipe/swipe-page.tsx'),
  route('support', '../../support/web/support-page.tsx'),
  route('support/chat', '../../support/web/chat/chat-page.tsx'),
  route('redir/:key', `${site}/redirects/redirect-page.tsx`),
  route('report', `${moderation}/public/choice-page.tsx`),
  ...['take-down', 'copyright', 'complaint'].map((form) =>
    route(`report/${form}`, `${moderation}/public/request-page.tsx`, { id: `report-${form}` })
  ),
  route('report/:reference', `${moderation}/public/follow-page.tsx`),
  route('legal', `${legal}/legal-page.tsx`),
  route('terms', `${legal}/document-page.tsx`),
  route('privacy', `${legal}/document-page.tsx`, { id: 'privacy' }),
  route('go-live', 'performer/go-live-page.tsx'),
  route('overlay/:token', `${tips}/overlay/overlay-page.tsx`),
  ...Object.entries(OF_A_PERFORMER).map(([page, file]) => route(`:username/${page}`, file)),
  route(':username', 'room/room-page.tsx'),
  route('*', 'document/errors/not-found.tsx'),
] satisfies RouteConfig;
