import { expect, test } from 'vitest';

import { read } from '../read-settings.ts';

test('the address for browsers and the hosts of authorization servers are read', async () => {
  const environment = { CONV_PUBLIC_URL: 'https://conv.example.com/below', CONV_MCP_HOSTS: 'login.internal:8443' };
  expect(await read(environment)).toMatchObject({
    publicUrl: 'https://conv.example.com/below',
    mcpHosts: ['login.internal:8443'],
  });
  expect(await read({ CONV_PUBLIC_URL: 'http://127.0.0.1:8000' })).toMatchObject({
    publicUrl: 'http://127.0.0.1:8000',
  });
});

test.each([
  ['CONV_PUBLIC_URL', 'http://conv.example.com', 'CONV_PUBLIC_URL: must be an https URL, or http on this machine'],
  ['CONV_PUBLIC_URL', 'https://ann:secret@conv.example.com', 'CONV_PUBLIC_URL: must be an https URL'],
  ['CONV_PUBLIC_URL', 'https://conv.example.com/?x=1', 'CONV_PUBLIC_URL: must be an https URL'],
  ['CONV_MCP_HOSTS', 'https://login.internal', 'CONV_MCP_HOSTS (0): expected a host such as login.internal:8443'],
])('%s does not take %s', async (name, value, said) => {
  await expect(read({ [name]: value })).rejects.toThrow(said);
});
