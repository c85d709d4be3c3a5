throw Object.assign(new TypeError('broken'), { status: 9 });
