(* Approximate inverses (lib/lapack/inverse_bound.h, gram.h, residual_strips.h): that one is near the
   inverse, what products of its factors leave, and what a computed residual differs by. Matrices
   are functions of a row and a column; sums go over the indices below n. *)
From Coq Require Import ZArith Reals Lra Lia List.
From Flocq Require Import Core.
From ExBLAS Require Import Base.
Import ListNotations.

Open Scope R_scope.

Section Sums.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S m => sum m f + f m
  end.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [lra|].
  apply Rplus_le_compat; [apply IH; intros; apply H; lia|apply H; lia].
Qed.

Lemma sum_eq n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [reflexivity|].
  rewrite IH, H; [reflexivity|lia|intros; apply H; lia].
Qed.

Lemma sum_add n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_scale n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_pos n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  intros H. induction n as [|n IH]; simpl; [lra|].
  apply Rplus_le_le_0_compat; [apply IH; intros; apply H; lia|apply H; lia].
Qed.

Lemma sum_abs n f : Rabs (sum n f) <= sum n (fun i => Rabs (f i)).
Proof.
  induction n as [|n IH]; simpl; [rewrite Rabs_R0; lra|].
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Lemma sum_swap n m f : sum n (fun i => sum m (f i)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n as [|n IH]; simpl.
  - induction m as [|m IH]; simpl; [|rewrite <- IH]; lra.
  - rewrite IH, <- sum_add. reflexivity.
Qed.

Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; [simpl; lra|]. rewrite S_INR. simpl. rewrite IH. lra. Qed.

End Sums.

Section Inverse.

Variable n : nat.

Definition mul (A B : nat -> nat -> R) i j := sum n (fun k => A i k * B k j).
Definition size (A : nat -> nat -> R) i j := Rabs (A i j).
Definition unit i j : R := if Nat.eqb i j then 1 else 0.

Lemma mul_assoc A B C i j : mul (mul A B) C i j = mul A (mul B C) i j.
Proof.
  unfold mul. rewrite (sum_eq n _ (fun k => sum n (fun l => A i l * B l k * C k j))).
  2: { intros k _. rewrite Rmult_comm, <- sum_scale. apply sum_eq. intros. ring. }
  rewrite sum_swap. apply sum_eq. intros l _. rewrite <- sum_scale. apply sum_eq. intros. ring.
Qed.

Lemma mul_size A B i j : Rabs (mul A B i j) <= mul (size A) (size B) i j.
Proof.
  unfold mul. apply Rle_trans with (1 := sum_abs _ _). apply sum_le. intros k _.
  unfold size. rewrite Rabs_mult. lra.
Qed.

Lemma mul_add A B C D i j : (forall k, (k < n)%nat -> A i k = B i k + C i k) ->
  mul A D i j = mul B D i j + mul C D i j.
Proof.
  intros H. unfold mul. rewrite <- sum_add. apply sum_eq. intros k Hk. rewrite H by auto. ring.
Qed.

Lemma mul_sub A B C i j : mul A (fun k l => B k l - C k l) i j = mul A B i j - mul A C i j.
Proof.
  unfold mul. rewrite (sum_eq n _ (fun k => A i k * B k j + -1 * (A i k * C k j))) by (intros; ring).
  rewrite sum_add, sum_scale. ring.
Qed.

Lemma mul_le A B C D i j :
  (forall k, (k < n)%nat -> A i k <= C i k) -> (forall k, (k < n)%nat -> B k j <= D k j) ->
  (forall k, (k < n)%nat -> 0 <= A i k /\ 0 <= D k j) -> mul A B i j <= mul C D i j.
Proof.
  intros HA HB P. apply sum_le. intros k Hk. destruct (P k Hk).
  apply Rle_trans with (A i k * D k j);
    [apply Rmult_le_compat_l|apply Rmult_le_compat_r]; auto.
Qed.

Lemma mul_scale_left c A B i j : mul (fun k l => c * A k l) B i j = c * mul A B i j.
Proof. unfold mul. rewrite <- sum_scale. apply sum_eq. intros. ring. Qed.

Lemma mul_scale_right c A B i j : mul A (fun k l => c * B k l) i j = c * mul A B i j.
Proof. unfold mul. rewrite <- sum_scale. apply sum_eq. intros. ring. Qed.

Lemma size_pos A i j : 0 <= size A i j.
Proof. apply Rabs_pos. Qed.

Lemma mul_size_pos A B i j : 0 <= mul (size A) (size B) i j.
Proof. apply sum_pos. intros. apply Rmult_le_pos; apply size_pos. Qed.

Lemma column_sum A B j :
  sum n (fun i => mul (size A) (size B) i j) = sum n (fun k => sum n (fun i => Rabs (A i k)) * Rabs (B k j)).
Proof.
  unfold mul. rewrite sum_swap. apply sum_eq. intros k _.
  rewrite Rmult_comm, <- sum_scale. apply sum_eq. intros. unfold size. ring.
Qed.

(* Lemma 1: x solves S x = r; what it differs by from y = R r is E x. *)
Theorem inverse_is_near E x y q Y : 0 <= q < 1 ->
  (forall i, (i < n)%nat -> sum n (size E i) <= q) ->
  (forall i, (i < n)%nat -> x i - y i = sum n (fun j => E i j * x j)) ->
  (forall i, (i < n)%nat -> Rabs (y i) <= Y) ->
  forall i, (i < n)%nat -> Rabs (x i - y i) <= sum n (size E i) * (Y / (1 - q)).
Proof.
  intros Hq HE Hx HY.
  (* some X bounds all |x_j|, and is attained *)
  assert (Hmax : forall m, (m <= n)%nat -> exists X, 0 <= X /\
    (forall j, (j < m)%nat -> Rabs (x j) <= X) /\
    (X = 0 \/ exists j, (j < m)%nat /\ X = Rabs (x j))).
  { induction m as [|m IH]; intros Hm.
    - exists 0. split; [lra|]. split; [lia|auto].
    - destruct IH as (X & X0 & B & A); [lia|].
      destruct (Rle_dec (Rabs (x m)) X) as [L|L].
      + exists X. split; [lra|]. split.
        * intros j Hj. destruct (Nat.eq_dec j m); [subst; lra|apply B; lia].
        * destruct A as [A|(j & Hj & A)]; [auto|right; exists j; split; [lia|auto]].
      + exists (Rabs (x m)). split; [apply Rabs_pos|]. split.
        * intros j Hj. destruct (Nat.eq_dec j m); [subst; lra|].
          apply Rle_trans with X; [apply B; lia|lra].
        * right. exists m. split; [lia|auto]. }
  destruct (Hmax n ltac:(lia)) as (X & X0 & B & A).
  assert (D : forall i, (i < n)%nat -> Rabs (x i - y i) <= sum n (size E i) * X).
  { intros i Hi. rewrite Hx by auto. apply Rle_trans with (1 := sum_abs _ _).
    rewrite Rmult_comm, <- sum_scale. apply sum_le. intros j Hj. rewrite Rabs_mult.
    unfold size. rewrite Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos|auto]. }
  intros i Hi. apply Rle_trans with (1 := D i Hi).
  apply Rmult_le_compat_l; [apply sum_pos; intros; apply Rabs_pos|].
  assert (Y0 : 0 <= Y) by (apply Rle_trans with (2 := HY i Hi); apply Rabs_pos).
  apply Rmult_le_reg_r with (1 - q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  destruct A as [A|(j & Hj & A)]; [subst; lra|].
  assert (Q : sum n (size E j) * X <= q * X) by (apply Rmult_le_compat_r; auto).
  pose proof (D j Hj) as Dj. pose proof (HY j Hj) as Yj.
  pose proof (Rabs_triang (x j - y j) (y j)) as T. replace (x j - y j + y j) with (x j) in T by ring.
  lra.
Qed.

(* S x = 0 has no other solution than 0: then S has an inverse. *)
Theorem only_zero_is_lost E x q : 0 <= q < 1 ->
  (forall i, (i < n)%nat -> sum n (size E i) <= q) ->
  (forall i, (i < n)%nat -> x i = sum n (fun j => E i j * x j)) ->
  forall i, (i < n)%nat -> x i = 0.
Proof.
  intros Hq HE Hx i Hi.
  assert (H := inverse_is_near E x (fun _ => 0) q 0 Hq HE).
  assert (K : Rabs (x i - 0) <= sum n (size E i) * (0 / (1 - q))).
  { apply H; auto; [intros; rewrite Rminus_0_r; auto|intros; rewrite Rabs_R0; lra]. }
  unfold Rdiv in K. rewrite Rmult_0_l, Rmult_0_r, Rminus_0_r in K.
  destruct (Req_dec (x i) 0) as [Z|Z]; auto. apply Rabs_no_R0 in Z. pose proof (Rabs_pos (x i)). lra.
Qed.

(* Lemma 2: S' R' = (P' P S' X_U) X_L P; here with A for P S', and columns of E in the order of P.
   The sum of column j is at most the sum of (g |L'| e + |W'| e)_k |X_L|_kj. *)
Theorem residual_of_inverse (A L XL XU W : nat -> nat -> R) g :
  (forall i j, (i < n)%nat -> (j < n)%nat -> mul A XU i j = L i j + W i j) ->
  (forall i j, (i < n)%nat -> (j < n)%nat ->
     Rabs (mul L XL i j - unit i j) <= g * mul (size L) (size XL) i j) ->
  forall j, (j < n)%nat ->
  sum n (fun i => Rabs (mul A (mul XU XL) i j - unit i j)) <=
  sum n (fun k => (g * sum n (fun i => Rabs (L i k)) + sum n (fun i => Rabs (W i k))) *
                  Rabs (XL k j)).
Proof.
  intros HW HL j Hj.
  apply Rle_trans with
    (sum n (fun i => g * mul (size L) (size XL) i j + mul (size W) (size XL) i j)).
  { apply sum_le. intros i Hi.
    replace (mul A (mul XU XL) i j - unit i j) with ((mul L XL i j - unit i j) + mul W XL i j).
    - apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat; [auto|apply mul_size].
    - rewrite <- mul_assoc, (mul_add (mul A XU) L W XL) by (intros; auto). ring. }
  rewrite sum_add, sum_scale, !column_sum, <- sum_scale, <- sum_add.
  apply sum_le. intros k _. lra.
Qed.

(* Lemma 3: with A = L U + D. *)
Theorem residual_of_factor (A L U D XU W : nat -> nat -> R) g : 0 <= g ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> A i j = mul L U i j + D i j) ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (D i j) <= g * mul (size L) (size U) i j) ->
  (forall i j, (i < n)%nat -> (j < n)%nat ->
     Rabs (mul U XU i j - unit i j) <= g * mul (size U) (size XU) i j) ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> W i j = mul A XU i j - mul L unit i j) ->
  forall i j, (i < n)%nat -> (j < n)%nat ->
  Rabs (W i j) <= 2 * g * mul (size L) (mul (size U) (size XU)) i j.
Proof.
  intros g0 HA HD HU HW i j Hi Hj.
  assert (E : W i j = mul L (fun k l => mul U XU k l - unit k l) i j + mul D XU i j).
  { rewrite HW, (mul_add A (mul L U) D), mul_assoc, mul_sub by auto. ring. }
  rewrite E. apply Rle_trans with (1 := Rabs_triang _ _).
  apply Rle_trans with (mul (size L) (fun k l => g * mul (size U) (size XU) k l) i j +
                        mul (fun k l => g * mul (size L) (size U) k l) (size XU) i j).
  - apply Rplus_le_compat; apply Rle_trans with (1 := mul_size _ _ _ _).
    + apply mul_le; intros k Hk; [lra|unfold size at 1; auto|].
      split; [apply size_pos|apply Rmult_le_pos; [lra|apply mul_size_pos]].
    + apply mul_le; intros k Hk; [unfold size at 1; auto|lra|].
      split; apply size_pos.
  - rewrite mul_scale_left, mul_scale_right, mul_assoc. lra.
Qed.

(* gram.h, Lemma 2. *)
Theorem gram_residual (G X XT T S : nat -> nat -> R) u i j : 0 <= u -> (i < n)%nat -> (j < n)%nat ->
  (forall k, (k < n)%nat -> Rabs (T k j - mul G X k j) <= u * Rabs (T k j)) ->
  Rabs (S i j - mul XT T i j) <= u * Rabs (S i j) ->
  Rabs (unit i j - mul XT (mul G X) i j) <=
  Rabs (unit i j - S i j) + u * Rabs (S i j) + u * mul (size XT) (size T) i j.
Proof.
  intros u0 Hi Hj HT HS.
  replace (unit i j - mul XT (mul G X) i j) with
    ((unit i j - S i j) + ((S i j - mul XT T i j) + mul XT (fun k l => T k l - mul G X k l) i j))
    by (rewrite mul_sub; ring).
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rplus_assoc. apply Rplus_le_compat_l.
  apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat; auto.
  apply Rle_trans with (1 := mul_size _ _ _ _). rewrite <- mul_scale_right.
  apply mul_le; intros k Hk; [lra|unfold size at 1; apply HT; auto|].
  split; [apply size_pos|apply Rmult_le_pos; [lra|apply size_pos]].
Qed.

Lemma mul_unit v i c : (i < n)%nat -> mul unit v i c = v i c.
Proof.
  unfold mul, unit. induction n as [|m IH]; intros H; [lia|]. simpl.
  destruct (Nat.eq_dec i m) as [E|E].
  - subst. rewrite Nat.eqb_refl, (sum_eq m _ (fun _ => 0)), sum_const; [ring|].
    intros k Hk. destruct (Nat.eqb_spec m k); [lia|ring].
  - rewrite IH by lia. destruct (Nat.eqb_spec i m); [lia|ring].
Qed.

(* gram.h, Lemma 1: y = X z solves G y = r, h = X' r, and R r = X h; column c of each. *)
Theorem gram_inverse_is_near (G X XT z : nat -> nat -> R) q b T c :
  let F := fun i j => unit i j - mul XT (mul G X) i j in
  let y := mul X z in let h := mul XT (mul G y) in let t := mul X h in
  0 <= q < 1 -> (forall i, (i < n)%nat -> sum n (size F i) <= q) ->
  (forall i, (i < n)%nat -> sum n (size (mul XT G) i) <= b) ->
  (forall i, (i < n)%nat -> Rabs (t i c) <= T) ->
  forall i, (i < n)%nat ->
  Rabs (y i c - t i c) <= sum n (size X i) * (q / (1 - q) * (b * T / (1 - q))).
Proof.
  intros F y h t Hq HF Hb HT i Hi.
  assert (N : forall v k, (k < n)%nat ->
    v k c - mul XT (mul G (mul X v)) k c = sum n (fun j => F k j * v j c)).
  { intros v k Hk. unfold F. rewrite (sum_eq n _ (fun j => unit k j * v j c +
      -1 * (mul XT (mul G X) k j * v j c))) by (intros; ring).
    rewrite sum_add, sum_scale. change (sum n (fun j => unit k j * v j c)) with (mul unit v k c).
    change (sum n (fun j => mul XT (mul G X) k j * v j c)) with (mul (mul XT (mul G X)) v k c).
    rewrite mul_unit, mul_assoc by auto. unfold mul at 1 4.
    rewrite (sum_eq n (fun l => XT k l * mul (mul G X) v l c)
      (fun l => XT k l * mul G (mul X v) l c)) by (intros; rewrite mul_assoc; auto). ring. }
  pose (s := mul XT (mul G t)).
  assert (HS : forall k, (k < n)%nat -> Rabs (s k c) <= b * T).
  { intros k Hk. unfold s. rewrite <- mul_assoc. apply Rle_trans with (1 := sum_abs _ _).
    assert (T0 : 0 <= T) by (apply Rle_trans with (2 := HT k Hk); apply Rabs_pos).
    apply Rle_trans with (sum n (size (mul XT G) k) * T); [|apply Rmult_le_compat_r; auto].
    rewrite Rmult_comm, <- sum_scale. apply sum_le. intros j Hj. rewrite Rabs_mult, Rmult_comm.
    apply Rmult_le_compat_r; [apply Rabs_pos|auto]. }
  assert (Q : forall v w V, (forall k, (k < n)%nat -> v k - w k = sum n (fun j => F k j * v j)) ->
    (forall k, (k < n)%nat -> Rabs (w k) <= V) ->
    forall k, (k < n)%nat -> Rabs (v k - w k) <= q / (1 - q) * V).
  { intros v w V E B k Hk.
    apply Rle_trans with (1 := inverse_is_near F v w q V Hq HF E B k Hk).
    assert (V0 : 0 <= V) by (apply Rle_trans with (2 := B k Hk); apply Rabs_pos).
    replace (q / (1 - q) * V) with (q * (V / (1 - q))) by (field; lra).
    apply Rmult_le_compat_r; auto. apply Rmult_le_pos; [lra|].
    apply Rlt_le, Rinv_0_lt_compat. lra. }
  assert (H : forall k, (k < n)%nat -> Rabs (h k c) <= b * T / (1 - q)).
  { intros k Hk. pose proof (Q (fun j => h j c) (fun j => s j c) (b * T) (fun k => N h k) HS k Hk) as D.
    cbv beta in D. pose proof (Rabs_triang (h k c - s k c) (s k c)) as A.
    replace (h k c - s k c + s k c) with (h k c) in A by ring. pose proof (HS k Hk).
    replace (b * T / (1 - q)) with (q / (1 - q) * (b * T) + b * T) by (field; lra). lra. }
  unfold y, t. rewrite <- (mul_sub X z h). apply Rle_trans with (1 := sum_abs _ _).
  rewrite Rmult_comm, <- sum_scale. apply sum_le. intros j Hj. rewrite Rabs_mult, Rmult_comm.
  apply Rmult_le_compat_r; [apply Rabs_pos|].
  exact (Q (fun k => z k c) (fun k => h k c) _ (fun k => N z k) H j Hj).
Qed.

End Inverse.

(* --- residual_strips.h ------------------------------------------------------------- *)

Section Residual.

(* c less the sums of a list, one after the other, each difference rounded. *)
Inductive subtracted : R -> list R -> R -> Prop :=
| nothing_subtracted c : subtracted c [] c
| one_subtracted c s e c' rest w : Rabs e <= u -> c' * (1 + e) = c - s ->
    subtracted c' rest w -> subtracted c (s :: rest) w.

Definition total := fold_right Rplus 0.

Lemma total_abs l : Rabs (total l) <= total (map Rabs l).
Proof.
  induction l as [|x l IH]; simpl; [rewrite Rabs_R0; lra|].
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Lemma power_from_1 k : 1 <= (1 + u) ^ k.
Proof. pose proof u_pos. apply pow_R1_Rle. lra. Qed.

(* The first sum does not count. *)
Lemma subtractions_near c l w : subtracted c l w ->
  Rabs (c - total l - w) <= ((1 + u) ^ length l - 1) * (total (map Rabs (tl l)) + Rabs w).
Proof.
  pose proof u_pos as u0.
  induction 1 as [c|c s e c' rest w He Hc _ IH]; simpl.
  - replace (c - 0 - c) with 0 by ring. rewrite Rabs_R0. lra.
  - set (B := total (map Rabs rest) + Rabs w). set (G := (1 + u) ^ length rest) in *.
    assert (G1 : 1 <= G) by apply power_from_1.
    assert (B' : Rabs (c' - total rest - w) <= (G - 1) * B).
    { apply Rle_trans with (1 := IH). apply Rmult_le_compat_l; [lra|]. unfold B.
      destruct rest as [|x rest]; simpl; [lra|]. pose proof (Rabs_pos x). lra. }
    assert (C : Rabs c' <= G * B).
    { replace c' with ((c' - total rest - w) + (total rest + w)) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _).
      pose proof (Rabs_triang (total rest) w). pose proof (total_abs rest). unfold B in *. lra. }
    replace (c - (s + total rest) - w) with ((c' - total rest - w) + e * c') by lra.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_mult.
    assert (Rabs e * Rabs c' <= u * (G * B)) by (apply Rmult_le_compat; auto; apply Rabs_pos).
    lra.
Qed.

(* A sum of products: what was computed, what it is, and the sum of the magnitudes. *)
Record part := {computed : R; exact : R; magnitude : R}.

Definition near p a :=
  Rabs (computed a - exact a) <= ((1 + u) ^ p - 1) * magnitude a /\ Rabs (exact a) <= magnitude a.

Lemma parts_near p l : Forall (near p) l ->
  Rabs (total (map computed l) - total (map exact l)) <=
    ((1 + u) ^ p - 1) * total (map magnitude l) /\
  total (map Rabs (map computed l)) <= (1 + u) ^ p * total (map magnitude l).
Proof.
  induction 1 as [|a l [A A'] _ [IH IH']]; simpl.
  - rewrite Rminus_0_r, Rabs_R0. lra.
  - split.
    + replace (_ - _) with ((computed a - exact a) +
        (total (map computed l) - total (map exact l))) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). lra.
    + replace (computed a) with ((computed a - exact a) + exact a) at 1 by ring.
      pose proof (Rabs_triang (computed a - exact a) (exact a)). lra.
Qed.

(* The lemma: the first sum is exact. *)
Theorem residual_is_near p c first rest w :
  subtracted c (first :: map computed rest) w -> Forall (near p) rest ->
  Rabs (c - (first + total (map exact rest)) - w) <=
    ((1 + u) ^ (p + S (length rest)) - 1) * (total (map magnitude rest) + Rabs w).
Proof.
  intros S N. apply subtractions_near in S. apply parts_near in N. destruct N as [N N'].
  simpl in S. rewrite map_length in S.
  rewrite pow_add.
  pose proof (power_from_1 p) as P1. pose proof (power_from_1 (length rest)) as T1.
  pose proof (u_pos) as u0. simpl ((1 + u) ^ Datatypes.S (length rest)) in *.
  set (P := (1 + u) ^ p) in *. set (T := (1 + u) * (1 + u) ^ length rest) in *.
  assert (T2 : 1 <= T) by (unfold T; nra).
  set (Q := total (map magnitude rest)) in *. pose proof (Rabs_pos w) as W0.
  replace (c - (first + total (map exact rest)) - w) with
    ((c - (first + total (map computed rest)) - w) +
     (total (map computed rest) - total (map exact rest))) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (E : (T - 1) * (total (map Rabs (map computed rest)) + Rabs w) <= (T - 1) * (P * Q + Rabs w))
    by (apply Rmult_le_compat_l; lra).
  assert (Y : 0 <= T * (P - 1) * Rabs w) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|auto]).
  replace ((P * T - 1) * (Q + Rabs w)) with
    ((P - 1) * Q + (T - 1) * (P * Q + Rabs w) + T * (P - 1) * Rabs w) by ring.
  lra.
Qed.

(* C: lib/lapack/residual_strips.c
        (double)(EXB_UPDATE_RUN + EXB_UPDATE_RUNS + 1 + 2 * subtractions) * 0x1p-53 * (1 + 0x1p-20);
        sums[j] += g * (sums[j] + x[j]); *)
Theorem g_is_enough k : INR k * u <= pow2 (-21) ->
  (1 + u) ^ k - 1 <= INR k * u * (1 + pow2 (-20)).
Proof.
  intros H. pose proof u_pos as u0. rewrite (power_negative 20 1048576 eq_refl) in *.
  rewrite (power_negative 21 2097152 eq_refl) in *.
  assert (K : (1 + u) ^ k * (1 - INR k * u) <= 1).
  { clear H. induction k as [|k IH]; [simpl; lra|]. rewrite S_INR. simpl.
    pose proof (power_from_1 k). pose proof (pos_INR k).
    assert (0 <= (1 + u) ^ k * (u * u * (INR k + 1))).
    { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [nra|lra]. }
    replace ((1 + u) * (1 + u) ^ k * (1 - (INR k + 1) * u)) with
      ((1 + u) ^ k * (1 - INR k * u) - (1 + u) ^ k * (u * u * (INR k + 1))) by ring. lra. }
  set (t := INR k * u) in *. set (G := (1 + u) ^ k) in *.
  assert (t0 : 0 <= t) by (apply Rmult_le_pos; [apply pos_INR|lra]).
  assert (G * (1 - t) <= (1 + t * (1 + / 1048576)) * (1 - t)) by nra.
  apply Rmult_le_reg_r with (1 - t); lra.
Qed.

(* Sums of products of high parts, in any order and of any part of them. *)
Definition products (l : list (Z * Z)) := fold_right Z.add 0%Z (map (fun ab => fst ab * snd ab)%Z l).

Theorem high_sums_are_exact b e l : (0 <= b)%Z ->
  Forall (fun ab => (Z.abs (fst ab) <= 2 ^ b)%Z /\ (Z.abs (snd ab) <= 2 ^ b)%Z) l ->
  (Z.of_nat (length l) * 4 ^ b <= 2 ^ 53)%Z -> (-1074 <= e)%Z ->
  RN (IZR (products l) * pow2 e) = IZR (products l) * pow2 e.
Proof.
  intros b0 H L E. apply RN_F, F_int; auto. apply Z.le_trans with (2 := L). clear L.
  replace (4 ^ b)%Z with (2 ^ b * 2 ^ b)%Z by (rewrite <- Z.pow_mul_l; reflexivity).
  set (B := (2 ^ b)%Z) in *. induction H as [|[x y] l [X Y] _ IH]; [reflexivity|].
  change (products ((x, y) :: l)) with (x * y + products l)%Z.
  apply Z.le_trans with (1 := Z.abs_triangle _ _). rewrite Z.abs_mul.
  assert (Z.abs x * Z.abs y <= B * B)%Z
    by (apply Z.mul_le_mono_nonneg; auto using Z.abs_nonneg).
  cbn [length]. rewrite Nat2Z.inj_succ, Z.mul_succ_l. lia.
Qed.

(* C: lib/lapack/residual_strips.c
    double unit = ldexp(2, -r->n_bits);
        x[j] = m * (m * unit[j] + ldexp(x[j], -r->n_bits)); *)
Theorem left_out_is_small n (S1 S2 : nat -> nat -> R) (X X2 : nat -> R) b one : 0 <= one ->
  (forall i k, Rabs (S1 i k) <= 2) -> (forall i k, Rabs (S2 i k) <= pow2 (1 - b) / 2) ->
  (forall k, Rabs (X2 k) <= one / 2) ->
  sum n (fun i => sum n (fun k => Rabs (S1 i k) * Rabs (X2 k) + Rabs (S2 i k) * Rabs (X k))) <=
  INR n * (INR n * one + pow2 (- b) * sum n (fun k => Rabs (X k))).
Proof.
  intros one0 H1 H2 HX. rewrite <- sum_const. apply sum_le. intros i _.
  replace (INR n * one) with (sum n (fun _ => one)) by (rewrite sum_const; ring).
  rewrite <- sum_scale, <- sum_add. apply sum_le. intros k _.
  apply Rplus_le_compat.
  - replace one with (2 * (one / 2)) by lra.
    apply Rmult_le_compat; auto; apply Rabs_pos.
  - apply Rmult_le_compat_r; [apply Rabs_pos|]. apply Rle_trans with (1 := H2 i k).
    unfold Zminus. rewrite bpow_plus. simpl (pow2 1). lra.
Qed.

End Residual.
