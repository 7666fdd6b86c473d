import { expect, onTestFinished, test, vi } from 'vitest';

import { shellEnvironment } from '../../src/index.ts';

const HOOK = 'https://hooks.chat.example/services/T0/B0/x1';

test.each([
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-honeycomb-team=v'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'authorization=Bearer%20v'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:v@host:4318'],
  ['CURL_HEADERS', 'X-Api-Key: v'],
  ['EXTRA_HEADERS', '{"x-team": "v"}'],
  ['EXTRA_HEADERS', '{ "Authorization": "v" }'],
  ['LDAP_BIND_PW', 'v'],
  ['LDAP_PSWD', 'v'],
  ['DB_PASSWORD2', 'v'],
  ['OPENAI_API_KEY2', 'v'],
  ['WIFI_PSK', 'v'],
  ['SSHPASS', 'v'],
  ['BW_SESSION', 'v'],
  ['OP_SESSION_work', 'v'],
  ['WALLET_SEED_PHRASE', 'v v v'],
  ['GIT_CRED', 'v'],
  ['HTTP_BEARER', 'v'],
  ['SLACK_HOOK', HOOK],
  ['DISCORD_WEBHOOK_URL', HOOK],
  ['ALERT_WEBHOOKS', `${HOOK},${HOOK}`],
  ['CONV_WEBHOOKS', `[{"name":"a","url":"${HOOK}","secrets":["whsec_v"]}]`],
  ['OH_WEBHOOKS', `[{"base_url":"${HOOK}","headers":{"Authorization":"Bearer v"}}]`],
  ['OH_WEBHOOKS_0_HEADERS', '{ "Authorization": "Bearer v" }'],
  ['TEAM_WEBHOOK', 'T0/B0/x1'],
  ['TEAM_HOOKS', ` [{"url": "${HOOK}"}]`],
  ['TEAM_HOOKS', `a=${HOOK}`],
  ['ConnectionStrings__Default', 'Server=db'],
  ['DB_CONNSTR', 'db'],
  ['MAIN_DB', 'Server=db;User Id=app;Password=v'],
  ['JDBC_URL', 'jdbc:postgresql://host/name?user=app&password=v'],
  ['BLOB_URL', 'https://account.blob.example/box?sv=2024&sig=v'],
  ['FEED_URL', 'https://host/feed?access_token=v'],
])('P9: a shell does not inherit %s=%s', (name, value) => {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(shellEnvironment()).not.toHaveProperty([name]);
  expect(shellEnvironment([name])).toHaveProperty([name], value);
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://host:4318'],
  ['OTEL_SERVICE_NAME', 'service'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment=test,region=eu'],
  ['MAX_HTTP_HEADERS', '100'],
  ['NODE_OPTIONS', '--max-http-header-size=16384'],
  ['HUSKY_HOOKS', '/repository/.husky'],
  ['GIT_HOOK', 'pre-commit'],
  ['HOOKED', 'https://host'],
  ['PWM_PIN', '3'],
  ['SPWN', 'v'],
  ['HOMEPAGE_URL', 'https://host/search?q=token&page=2'],
  ['DESIGN_URL', 'https://host/?design=round&config=a'],
  ['LS_COLORS', 'di=01;34:ln=01;36'],
  ['DESKTOP_SESSION', 'plain'],
  ['XDG_SESSION_TYPE', 'tty'],
  ['COMPASS', 'north'],
  ['PYTHONPATH', '/a:/b'],
  ['PWD', '/home'],
])('a shell inherits %s=%s', (name, value) => {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(shellEnvironment()).toHaveProperty([name], value);
});
