"""The workloads in PyTorch: double precision, eager, one thread."""

import workloads
import torch

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


def timed(name, f, point):
    point = [torch.tensor(part, requires_grad=True) for part in point]

    def value():
        with torch.no_grad():
            return f(*point)

    def derivative():
        return torch.autograd.grad(f(*point), point)

    workloads.report(name, value, derivative, [part.numpy() for part in derivative()])


def mixture(d, k):
    def row(name):
        point, _, x = workloads.mixture(d, k)
        x = torch.tensor(x)
        columns, rows = torch.triu_indices(d, d, 1)

        def f(alphas, means, qs, ls):
            q = torch.diag_embed(torch.exp(qs)).index_put((torch.arange(k)[:, None], rows, columns), ls)
            z = torch.einsum("kij,nkj->nki", q, x[:, None, :] - means)
            exponents = alphas + qs.sum(1) - 0.5 * (z**2).sum(-1)
            frobenius = torch.exp(2 * qs).sum() + (ls**2).sum()
            terms = torch.logsumexp(exponents, 1).sum() - len(x) * torch.logsumexp(alphas, 0)
            return terms + 0.5 * frobenius

        timed(name, f, point)

    return row


def network(batch):
    def row(name):
        parameters, xs, ts = workloads.network(batch)
        xs, ts = torch.tensor(xs), torch.tensor(ts)

        def loss(w1, b1, w2, b2, w3, b3):
            h1 = torch.tanh(xs @ w1.T + b1)
            h2 = torch.tanh(h1 @ w2.T + b2)
            return ((h2 @ w3.T + b3 - ts) ** 2).sum() / 2

        timed(name, loss, parameters)

    return row


def rosenbrock(name):
    def f(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    timed(name, f, [workloads.rosenbrock(1_000_000)])


def recurrence(name):
    def f(x):
        for _ in range(1000):
            x = 1.1 * torch.sin(x) + 0.1
        return x

    timed(name, f, [0.5])


workloads.run(
    {
        "gmm d=10 k=25": mixture(10, 25),
        "gmm d=64 k=25": mixture(64, 25),
        "gmm d=2 k=5": mixture(2, 5),
        "network batch=1": network(1),
        "network batch=64": network(64),
        "rosenbrock n=1000000": rosenbrock,
        "recurrence reverse": recurrence,
    }
)
