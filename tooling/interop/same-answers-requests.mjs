/** The requests of `same-answers-cases.mjs`, by their method. */
export const get = (path, more) => ({ method: 'GET', path, ...more });
export const post = (path, body, more) => ({ method: 'POST', path, body, ...more });
export const patch = (path, body, more) => ({ method: 'PATCH', path, body, ...more });
export const remove = (path, more) => ({ method: 'DELETE', path, ...more });
export const since = (release, requests) => requests.map((request) => ({ since: release, ...request }));
export const put = (path, body, more) => ({ method: 'PUT', path, body, ...more });
