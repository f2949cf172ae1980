//! L-BFGS with backtracking: the minimum of a smooth convex function, deterministic.

use std::collections::VecDeque;

const HISTORY: usize = 10;
const STEPS: usize = 400;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    rho: f64,
}

/// The direction of descent after the two-loop recursion.
fn direction(gradient: &[f64], history: &VecDeque<Pair>) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(history.len());
    for pair in history.iter().rev() {
        let alpha = pair.rho * dot(&pair.step, &q);
        q.iter_mut()
            .zip(&pair.change)
            .for_each(|(x, y)| *x -= alpha * y);
        alphas.push(alpha);
    }
    if let Some(last) = history.back() {
        let scale = 1.0 / (last.rho * dot(&last.change, &last.change));
        for x in &mut q {
            *x *= scale;
        }
    }
    for (pair, alpha) in history.iter().zip(alphas.iter().rev()) {
        let beta = pair.rho * dot(&pair.change, &q);
        q.iter_mut()
            .zip(&pair.step)
            .for_each(|(x, s)| *x += (alpha - beta) * s);
    }
    q
}

/// Minimises `f`, which returns the value and writes the gradient.
pub(crate) fn minimize(mut x: Vec<f64>, f: impl Fn(&[f64], &mut [f64]) -> f64) -> Vec<f64> {
    let mut gradient = vec![0.0; x.len()];
    let mut value = f(&x, &mut gradient);
    let mut history: VecDeque<Pair> = VecDeque::new();
    for _ in 0..STEPS {
        let towards = direction(&gradient, &history);
        let slope = dot(&towards, &gradient);
        if slope > -1e-9 {
            break;
        }
        let mut length = if history.is_empty() {
            1.0 / (1.0 + dot(&gradient, &gradient).sqrt())
        } else {
            1.0
        };
        let mut next_gradient = vec![0.0; x.len()];
        let mut accepted = None;
        for _ in 0..30 {
            let next: Vec<f64> = x
                .iter()
                .zip(&towards)
                .map(|(a, d)| a + length * d)
                .collect();
            let next_value = f(&next, &mut next_gradient);
            if next_value <= value + 1e-4 * length * slope {
                accepted = Some((next, next_value));
                break;
            }
            length *= 0.5;
        }
        let Some((next, next_value)) = accepted else {
            break;
        };
        let step: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = next_gradient
            .iter()
            .zip(&gradient)
            .map(|(a, b)| a - b)
            .collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-12 {
            history.push_back(Pair {
                step,
                change,
                rho: 1.0 / curvature,
            });
            if history.len() > HISTORY {
                history.pop_front();
            }
        }
        x = next;
        value = next_value;
        gradient = next_gradient;
    }
    x
}
